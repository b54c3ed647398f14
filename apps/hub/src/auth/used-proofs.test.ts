import { describe, expect, it } from 'vitest'
import { NONCE_MS } from './nonces'
import { UsedProofs } from './used-proofs'

describe('[WEB-3.11] the memory of used proofs', () => {
  it('[WEB-3.10] takes each once', () => {
    const used = new UsedProofs(10)
    expect([used.use('a', 1, 1), used.use('a', 1, 1), used.use('b', 1, 1)]).toEqual([true, false, true])
  })

  it('when full refuses what it can no longer know, and takes what is newer', () => {
    const used = new UsedProofs(3)
    for (const at of [1, 2, 3, 4]) expect(used.use(`p${at}`, at, at)).toBe(true)
    expect(used.use('p1', 1, 5)).toBe(false)
    expect(used.use('never used', 1, 5)).toBe(false)
    expect(used.use('p4', 4, 5)).toBe(false)
    expect(used.use('p5', 5, 5)).toBe(true)
  })

  it('forgets what no nonce can name any more, and refuses nothing for it', () => {
    const used = new UsedProofs(2)
    used.use('a', 1, 1)
    used.use('b', 2, 2)
    const later = NONCE_MS + 10
    expect([used.use('c', later, later), used.use('d', later, later)]).toEqual([true, true])
    expect(used.use('e', later - 1, later)).toBe(true)
  })
})

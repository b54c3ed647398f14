import { type AuditHead, signedText } from '@roundhouse/backend-types'
import { makeKeyPair, readPrivateKey, signText } from '@roundhouse/keys'
import { describe, expect, it } from 'vitest'
import type { DisownedHead, Restore } from '../ports/audit-store'
import { isGivenBy, judgeBrought, judgeHeads } from './audit-head'

const keys = makeKeyPair()
const hub = { hubId: 'hub_1', hubEpoch: 'e2', publicKey: keys.publicKey }
const past = (...restores: Restore[]) => ({ hubEpoch: hub.hubEpoch, restores })
const hash = 'a'.repeat(64)
const head = (change: Partial<AuditHead> = {}): AuditHead => {
  const facts = { hubEpoch: 'e1', id: 9, hash, at: 1_000, count: 3, ...change }
  const signature = signText(readPrivateKey(keys.privateKey), signedText.auditHeadGiven(hub.hubId, facts))
  return { ...facts, signature, ...change }
}
const disowned = (foundAt: number | null, hubEpoch = 'e1'): DisownedHead => ({
  ...head({ hubEpoch }),
  agentId: 'a',
  foundAt,
})

describe('[AUD-2] a head of the audit log', () => {
  it('counts with the signature of this hub alone, over every fact', () => {
    expect(isGivenBy(hub, head())).toBe(true)
    const { signature } = head()
    for (const change of [{ id: 10 }, { hash: 'b'.repeat(64) }, { hubEpoch: 'e2' }, { at: 2 }, { count: 4 }])
      expect(isGivenBy(hub, head({ ...change, signature }))).toBe(false)
    expect(isGivenBy({ ...hub, hubId: 'hub_2' }, head())).toBe(false)
    expect(isGivenBy({ ...hub, publicKey: makeKeyPair().publicKey }, head())).toBe(false)
  })

  it.each([
    ['its row is missing', null],
    ['its row is another one of the same time', 1_000],
    ['its row is another one, from later, and nothing was put back', 2_000],
  ])('says that the log was cut: %s', (_why, foundAt) => {
    expect(judgeHeads([disowned(foundAt)], past()).cut).toMatchObject({ id: 9 })
  })

  it('is not missed behind the point to which the data was put back', () => {
    const restored = past({ id: 5, at: 1_500, before: 'e1' })
    for (const foundAt of [null, 2_000])
      expect(judgeHeads([disowned(foundAt)], restored)).toEqual({ cut: null, restores: [{ id: 5, lostUpTo: 9 }] })
    expect(judgeHeads([], restored).restores).toEqual([{ id: 5, lostUpTo: null }])
  })

  it('is not missed where the same backup was put back twice: the file knows nothing of the time between', () => {
    const between = disowned(2_000, 'e1b')
    const restored = past({ id: 5, at: 1_500, before: 'e1' })
    expect(judgeHeads([between], restored)).toEqual({ cut: null, restores: [{ id: 5, lostUpTo: 9 }] })
    expect(judgeHeads([between], past({ id: 5, at: 900, before: 'e1' })).cut).toMatchObject({ id: 9 })
  })

  it.each([
    ['a row from before that point was changed', disowned(900)],
    ['it is of the epoch after', disowned(null, 'e2')],
  ])('is missed all the same where %s', (_why, found) => {
    expect(judgeHeads([found], past({ id: 5, at: 1_500, before: 'e1' })).cut).toMatchObject({ id: 9 })
  })

  it('that somebody brings is judged alike', async () => {
    const reads = {
      hub: async () => hub,
      restores: async () => [],
      rowAt: async (id: number) => (id === 9 ? { hash, at: 1 } : undefined),
    }
    expect(await judgeBrought(head(), reads)).toBeNull()
    expect(await judgeBrought(head({ id: 12 }), reads)).toContain('missing')
    expect(await judgeBrought(head({ hash: 'b'.repeat(64) }), reads)).toContain('replaced')
    expect(await judgeBrought({ ...head(), id: 8 }, reads)).toContain('not signed')
  })
})

import { describe, expect, it } from 'vitest'
import { BodyBudget } from './body-budget'

const KIB = 1_024

/** Reserves for each of these senders and says who was cut off, in order. */
function cutOff(limits: { perSender: number; inAll: number }, senders: readonly string[]): string[] {
  const budget = new BodyBudget(limits)
  const cut: string[] = []
  for (const [i, sender] of senders.entries()) budget.reserve(sender, 32 * KIB, () => cut.push(`${sender}${i}`))
  return cut
}

describe('what is being received', () => {
  it('[WEB-2] [T2] has room for each sender; beyond it their own oldest body is cut off', () => {
    expect(cutOff({ perSender: 64 * KIB, inAll: 512 * KIB }, ['a', 'b', 'a', 'a', 'a'])).toEqual(['a0', 'a2'])
  })

  it('[WEB-2] [T2] has room in all; beyond it whoever holds most loses the oldest, and a newcomer always comes in', () => {
    const limits = { perSender: 512 * KIB, inAll: 128 * KIB }
    expect(cutOff(limits, ['a', 'a', 'a', 'b', 'c'])).toEqual(['a0'])
    expect(cutOff(limits, ['a', 'b', 'c', 'd', 'e'])).toEqual(['a0'])
    expect(cutOff({ perSender: 8 * KIB, inAll: 8 * KIB }, ['a'])).toEqual([])
  })

  it('[WEB-2] [T2] counts no body that has come, or that was cut off', () => {
    const budget = new BodyBudget({ perSender: 64 * KIB, inAll: 64 * KIB })
    const cut: number[] = []
    for (let i = 0; i < 100; i += 1) budget.reserve('a', 32 * KIB, () => cut.push(i))()
    const release = budget.reserve('a', 32 * KIB, () => cut.push(100))
    budget.reserve('a', 64 * KIB, () => cut.push(101))
    release()
    budget.reserve('b', 1, () => cut.push(102))
    expect(cut).toEqual([100, 101])
  })

  it('[WEB-2] [T2] a body of nothing is not free', () => {
    const budget = new BodyBudget({ perSender: 40 * KIB, inAll: 40 * KIB })
    let cut = 0
    for (let i = 0; i < 11; i += 1) budget.reserve('a', 0, () => (cut += 1))
    expect(cut).toBe(1)
  })
})

import { describe, expect, it } from 'vitest'
import { type OldEvent, type PruneRules, planPrune } from './plan-prune'

/** Ten events of 100 bytes, one a second. */
const events = Array.from({ length: 10 }, (_, i): OldEvent => ({ last: i + 1, at: i * 1_000, bytes: 100 }))
const plan = (rules: Partial<PruneRules>, oldest = events) =>
  planPrune(oldest, { acked: 10, before: 0, excessBytes: 0, ...rules })

describe('[REB-3.1] [REB-3.2] what of a log goes', () => {
  it.each<[string, Partial<PruneRules>, number]>([
    ['nothing that is young and has its place', {}, 0],
    ['what is too old', { before: 3_000 }, 3],
    ['what is too much, oldest first', { excessBytes: 250 }, 3],
    ['the larger of both', { before: 2_000, excessBytes: 450 }, 5],
    ['never what the hub has not taken', { before: 9_000, acked: 4 }, 4],
    ['nothing at all where nothing was taken', { excessBytes: 10_000, acked: 0 }, 0],
  ])('%s', (_what, rules, upTo) => {
    expect(plan(rules)).toBe(upTo)
  })

  it('a gap goes as a whole or not at all', () => {
    const gap = [{ last: 6, at: 0, bytes: 100 }]
    expect(plan({ excessBytes: 1, acked: 5 }, gap)).toBe(0)
    expect(plan({ excessBytes: 1, acked: 6 }, gap)).toBe(6)
  })

  it('a clock that went back does not keep what is too much', () => {
    const jumped = events.map((event, i) => ({ ...event, at: i < 2 ? 9_000_000 : event.at }))
    expect(plan({ before: 5_000, excessBytes: 150 }, jumped)).toBe(5)
  })
})

import { describe, expect, it } from 'vitest'
import { ProgramPace } from './program-pace'

describe('[BUS-5.7] the pace of the programs of a session', () => {
  let now = 5_000
  const paceOf = () => new ProgramPace(() => now)
  /** How many of such messages pass at this moment. */
  const passing = (pace: ProgramPace, bytes: number, topics = ['worker.s.event']) => {
    for (let count = 0; ; count += 1) {
      try {
        pace.charge(topics[count % topics.length] ?? '', bytes)
      } catch (error) {
        return { count, error }
      }
    }
  }

  it('is 4 MiB at once and then 1 MiB a second, and the refusal says how long to wait', () => {
    const pace = paceOf()
    const { count, error } = passing(pace, 65_536)
    expect(count).toBe(64)
    expect(error).toMatchObject({ code: 'RATE_LIMITED', details: { bytesPerSecond: 1_048_576, retryAfterMs: 63 } })
    expect(String(error)).toContain('Try again in 0.1 s.')
    now += 1_000
    expect(passing(pace, 65_536).count).toBe(16)
    now += 3_600_000
    expect(passing(pace, 65_536).count).toBe(64)
  })

  it('is that of any peer besides: 250 messages on one topic and 500 in all, each second', () => {
    const pace = paceOf()
    const one = passing(pace, 10)
    expect(one).toMatchObject({ count: 250, error: { code: 'RATE_LIMITED', details: { topic: 'worker.s.event' } } })
    now += 1_000
    const many = passing(pace, 10, ['worker.s.event', 'worker.s.phase', 'worker.s.complete'])
    expect(many).toMatchObject({ count: 500, error: { details: { limit: 500, topic: null } } })
  })
})

import { describe, expect, it } from 'vitest'
import { planSweep, type StoredLog, type SweepRules } from './plan-sweep'

const log = (sessionId: string, over: Partial<StoredLog> = {}): StoredLog => ({
  sessionId,
  bytes: 50,
  oldestAt: 900,
  writtenAt: 950,
  prunable: true,
  ...over,
})
const plan = (logs: StoredLog[], over: Partial<SweepRules> = {}) =>
  planSweep(logs, { now: 1_000, keepMs: 500, keepSessionBytes: 100, keepAgentBytes: 1_000, ...over })

describe('[REB-3] what sessions at rest give back', () => {
  it('is nothing while they are young and small', () => {
    expect(plan([log('a'), log('b')])).toEqual([])
  })

  it('[REB-3.1] is what is too old, and what is too large', () => {
    const logs = [log('old', { oldestAt: 400 }), log('young'), log('large', { bytes: 101 })]
    expect(plan(logs)).toEqual([
      { sessionId: 'old', keepBytes: 100 },
      { sessionId: 'large', keepBytes: 100 },
    ])
  })

  it('is all of the quietest ones, until the others have their place', () => {
    const logs = [
      log('latest', { writtenAt: 990 }),
      log('first', { writtenAt: 910 }),
      log('second', { writtenAt: 920 }),
    ]
    expect(plan(logs, { keepAgentBytes: 60 })).toEqual([
      { sessionId: 'first', keepBytes: 0 },
      { sessionId: 'second', keepBytes: 0 },
    ])
  })

  it('counts those that may give nothing, and leaves them', () => {
    const logs = [log('busy', { bytes: 900, prunable: false }), log('quiet', { bytes: 90, oldestAt: 990 })]
    expect(plan(logs)).toEqual([])
    expect(plan(logs, { keepAgentBytes: 950 })).toEqual([{ sessionId: 'quiet', keepBytes: 0 }])
  })
})

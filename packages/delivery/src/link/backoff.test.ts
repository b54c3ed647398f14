import { describe, expect, it } from 'vitest'
import { backoffMs, patienceMs, pauseMs } from './backoff'

const most = (failures: number) => pauseMs({}, failures, 0.9999)
const least = (failures: number) => pauseMs({}, failures, 0)

describe('[LINK-4.2] the pause before the next attempt', () => {
  it('is short three times, then grows to 3 s, each with a jitter of a half', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 1_000].map(most)).toEqual([400, 400, 400, 800, 1_600, 3_000, 3_000, 3_000])
    expect([1, 2, 3, 4, 5, 6, 7, 1_000].map(least)).toEqual([200, 200, 200, 400, 800, 1_500, 1_500, 1_500])
    expect(backoffMs(0, 0.5)).toBe(300)
  })

  it('after a link that lived is the first one again', () => {
    expect(most(0)).toBe(400)
  })

  it.each(['AGENT_PENDING', 'AGENT_CLONED', 'AGENT_DISABLED', 'FENCED'])(
    'is never longer than 3 s where a person may let it in (%s)',
    (code) => {
      expect(pauseMs({ code }, 1, 0)).toBe(1_500)
      expect(pauseMs({ code }, 99, 0.9999)).toBe(3_000)
    },
  )

  it('is long where only another hub or agent would help', () => {
    for (const code of ['PROTOCOL_UNSUPPORTED', 'AUTH_FAILED']) {
      expect(pauseMs({ code }, 1, 0)).toBe(15_000)
    }
  })

  it('is as short as with nobody there where somebody without the key of the hub has its port', () => {
    expect(pauseMs({ code: 'HUB_KEY_MISMATCH' }, 1, 0.9999)).toBe(400)
    expect(pauseMs({ code: 'HUB_KEY_MISMATCH' }, 99, 0.9999)).toBe(3_000)
  })

  it('is what the hub asked for, within bounds', () => {
    expect(pauseMs({ code: 'RATE_LIMITED', retryAfterMs: 1_234 }, 9, 0.5)).toBe(1_234)
    expect(pauseMs({ retryAfterMs: 9e9 }, 1, 0.5)).toBe(20_000)
  })
})

describe('[LINK-4.5] how long the first answer may take', () => {
  it('is 10 s for a hub that never answered', () => {
    expect([patienceMs(null, 0), patienceMs(null, 5)]).toEqual([10_000, 10_000])
  })

  it('is 1 s for a quick one, doubled at each silence up to 4 s, so that its return is seen within 5 s', () => {
    expect([0, 1, 2, 3, 99].map((silences) => patienceMs(5, silences))).toEqual([1_000, 2_000, 4_000, 4_000, 4_000])
  })

  it('is ten times what a slow one takes, up to 10 s', () => {
    expect([0, 1].map((silences) => patienceMs(300, silences))).toEqual([3_000, 4_000])
    expect([0, 1].map((silences) => patienceMs(700, silences))).toEqual([7_000, 7_000])
    expect(patienceMs(5_000, 0)).toBe(10_000)
  })
})

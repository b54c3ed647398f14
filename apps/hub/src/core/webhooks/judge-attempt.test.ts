import { describe, expect, it } from 'vitest'
import type { DeliveryRow } from '../ports/outbound/webhook-store'
import { type Attempted, judgeAttempt } from './judge-attempt'
import { DAY_MS, isDue, LONGEST_WAIT_MS, retryWaits, waitAfter } from './retry-table'

const HOUR = 3_600_000
const at = 1_795_000_000_000
const delivery: DeliveryRow = {
  deliveryId: 'msg_1',
  webhookId: 'whk_1',
  busOffset: 7,
  state: 'waiting',
  createdAt: at,
  nextAt: null,
  askedAt: null,
  attempts: 0,
  log: [],
}
const hook = { webhookId: 'whk_1', life: 3, failingSince: null }
const answered = (status: number, retryAfterMs: number | null = null) =>
  ({ kind: 'answered', status, retryAfterMs }) as const
const judge = (change: Partial<Attempted> = {}, row: Partial<DeliveryRow> = {}) =>
  judgeAttempt({
    hook,
    outcome: answered(500),
    at,
    tookMs: 12.4,
    steadyNow: at,
    storedAt: at,
    chance: 0,
    byHand: false,
    ...change,
    delivery: { ...delivery, ...row },
  })

describe('an attempt', () => {
  it.each([200, 201, 204, 299])(
    '[HOOK-2.4] that is answered with %i has arrived, and the next message has its turn',
    (status) => {
      const log = [{ at, tookMs: 12, status, failure: null }]
      const arrived = { ...delivery, state: 'delivered', attempts: 1, log }
      expect(judge({ outcome: answered(status) })).toEqual({
        state: 'delivered',
        stop: null,
        step: {
          webhookId: 'whk_1',
          cursor: 7,
          failingSince: null,
          deliveredAt: at,
          delivery: arrived,
          began: { life: 3, delivery: arrived },
        },
      })
    },
  )

  it.each([
    [answered(301), 'redirect'],
    [answered(199), 'answer'],
    [answered(404), 'answer'],
    [answered(500), 'answer'],
    [{ kind: 'failed', failure: 'timeout' } as const, 'timeout'],
    [{ kind: 'failed', failure: 'address' } as const, 'address'],
  ])('[HOOK-2.4] that ends with %j has failed as %s, and is made again', (outcome, failure) => {
    const { state, step } = judge({ outcome })
    expect([state, step.cursor, step.failingSince, step.delivery?.log[0]?.failure]).toEqual([
      'retrying',
      undefined,
      at,
      failure,
    ])
    expect(step.delivery?.nextAt).toBe(at + 5_000)
  })

  it('[HOOK-3.1] waits longer each time, at most an hour, and by chance up to a fifth more', () => {
    const waits = Array.from({ length: 12 }, (_, i) => waitAfter(i + 1, null, 0))
    expect(waits).toEqual([...retryWaits, HOUR, HOUR, HOUR])
    expect([...waits].sort((a, b) => a - b)).toEqual(waits)
    expect([waitAfter(1, null, 0.5), waitAfter(99, null, 1)]).toEqual([5_500, LONGEST_WAIT_MS])
  })

  it('[HOOK-3.2] waits as long as a 429 or 503 asks, at most an hour and never less than the table says', () => {
    const nextAt = (status: number, asked: number) => {
      const { delivery } = judge({ outcome: answered(status, asked) }).step
      return (delivery?.nextAt ?? 0) - at
    }
    expect([nextAt(429, 60_000), nextAt(503, 60_000), nextAt(500, 60_000)]).toEqual([60_000, 60_000, 5_000])
    expect([nextAt(429, 10 * HOUR), nextAt(429, 0)]).toEqual([HOUR, 5_000])
  })

  it('[HOOK-3.3] is made for a day after the message was stored, for the last time at its end', () => {
    const late = { steadyNow: at + DAY_MS - 60_000, at: at + DAY_MS - 60_000 }
    expect(judge(late, { attempts: 20 }).step.delivery?.nextAt).toBe(at + DAY_MS)
    const over = judge({ steadyNow: at + DAY_MS, at: at + DAY_MS }, { attempts: 21, state: 'retrying' })
    expect([over.state, over.step.cursor, over.stop]).toEqual(['failed', 7, null])
  })

  it('[HOOK-3.3] is made once for a message that is older than a day', () => {
    const { state, step } = judge({ storedAt: at - 2 * DAY_MS })
    expect([state, step.cursor, step.delivery?.attempts]).toEqual(['failed', 7, 1])
  })

  it('[HOOK-3.4] that is answered with 410 turns the webhook off', () => {
    const { state, stop } = judge({ outcome: answered(410) })
    expect([state, stop]).toEqual(['failed', 'gone'])
  })

  it('[HOOK-3.5] that fails for good after five days of nothing but failures turns the webhook off', () => {
    const over = { storedAt: at - DAY_MS, hook: { ...hook, failingSince: at - 5 * DAY_MS } }
    expect(judge(over).stop).toBe('failing')
    expect(judge({ ...over, hook: { ...hook, failingSince: at - 5 * DAY_MS + 1 } }).stop).toBeNull()
    // A message with a day before it is no proof yet.
    expect(judge({ ...over, storedAt: at }).stop).toBeNull()
  })

  it.each([
    ['is made again', {}],
    ['has failed for good', { outcome: answered(410) }],
  ])(
    '[HOOK-3.7] that %s says what holds where the webhook has another life by then: nothing but the attempt',
    (_what, change) => {
      const { began, delivery } = judge(change).step
      expect(began).toEqual({ life: hook.life, delivery: { ...delivery, state: 'retrying', nextAt: at } })
    },
  )

  it('[HOOK-5.2] that somebody asked for is not repeated, moves no cursor, and takes nothing back that has arrived', () => {
    const asked = { askedAt: at, attempts: 3 }
    const failed = judge({ byHand: true }, { ...asked, state: 'failed' })
    expect(failed.step).toMatchObject({ delivery: { state: 'failed', askedAt: null, nextAt: null, attempts: 4 } })
    expect([failed.step.cursor, failed.step.failingSince]).toEqual([undefined, undefined])
    expect(judge({ byHand: true }, { ...asked, state: 'delivered' }).state).toBe('delivered')
    const arrived = judge({ byHand: true, outcome: answered(200) }, { ...asked, state: 'failed' })
    expect([arrived.state, arrived.step.cursor, arrived.step.failingSince]).toEqual(['delivered', undefined, null])
  })

  it('is one of the newest 32 of its delivery', () => {
    const log = Array.from({ length: 32 }, (_, i) => ({ at: i, tookMs: 1, status: 500, failure: 'answer' as const }))
    const { delivery } = judge({}, { log, attempts: 40 }).step
    expect([delivery?.attempts, delivery?.log.length, delivery?.log.at(-1)?.at]).toEqual([41, 32, at])
  })

  it('is due when its time has come, and when a clock that went back since wrote a time that no wait reaches', () => {
    expect([isDue(null, at), isDue(at, at), isDue(at + 1, at), isDue(at + 2 * HOUR, at)]).toEqual([
      true,
      true,
      false,
      true,
    ])
  })
})

import { linkLimits } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { SendPlanner } from './send-planner'

const limits = { ...linkLimits, batchEvents: 10, batchBytes: 100, windowEvents: 30, windowBytes: 1_000 }
const log = (head: number, acked = 0, ackedEpoch = 'epoch') => ({ head, acked, ackedEpoch })
const resume = (sessionId: string, from: number) => ({ sessionId, verdict: 'resume' as const, from })
const rebase = (sessionId: string, to: number) => ({ sessionId, verdict: 'rebase' as const, to })

function planner(): SendPlanner {
  return new SendPlanner(limits, 'epoch')
}

/** Sends the next batch, as far as it may reach and ten events at most. */
function send(plan: SendPlanner): [string, number, number] | null {
  const turn = plan.next()
  if (!turn) return null
  const last = Math.min(turn.after + limits.batchEvents, turn.upTo)
  plan.sent(turn.sessionId, { last, events: last - turn.after, bytes: 20 })
  return [turn.sessionId, turn.after + 1, last]
}

describe('SendPlanner, sending', () => {
  it('[LINK-2.5] nothing is sent before the verdict', () => {
    const plan = planner()
    plan.appended('s', 5)
    expect(plan.next()).toBeNull()
  })

  it('[LINK-2.5] sending begins where the hub wants it', () => {
    const plan = planner()
    expect(plan.verdict(resume('s', 6), log(8, 5))).toBeNull()
    expect(send(plan)).toEqual(['s', 6, 8])
    expect(send(plan)).toBeNull()
    plan.appended('s', 9)
    expect(send(plan)).toEqual(['s', 9, 9])
  })

  it('[SES-3.8] an unknown session is sent from its beginning', () => {
    const plan = planner()
    plan.verdict({ sessionId: 's', verdict: 'unknown' }, log(3, 3))
    expect(send(plan)).toEqual(['s', 1, 3])
  })

  it('[FLOW-1.2] sessions take turns, one batch each', () => {
    const plan = planner()
    plan.verdict(resume('flood', 1), log(1_000))
    plan.verdict(resume('quiet', 1), log(4))
    expect([send(plan), send(plan), send(plan)]).toEqual([
      ['flood', 1, 10],
      ['quiet', 1, 4],
      ['flood', 11, 20],
    ])
  })

  it('[FLOW-1.3] [FLOW-1.1] no credit, no send; each answer gives back what its batch took', () => {
    const plan = planner()
    plan.verdict(resume('s', 1), log(1_000))
    expect([send(plan), send(plan), send(plan), send(plan)].map((sent) => sent?.[2] ?? null)).toEqual([
      10,
      20,
      30,
      null,
    ])
    plan.acked('s', 10)
    expect([send(plan), send(plan)].map((sent) => sent?.[2] ?? null)).toEqual([40, null])
  })

  it('[FLOW-1.1] bytes are credit too', () => {
    const plan = planner()
    plan.verdict(resume('s', 1), log(1_000))
    plan.sent('s', { last: 1, events: 1, bytes: 950 })
    expect(plan.next()).toBeNull()
    plan.acked('s', 1)
    expect(plan.next()).not.toBeNull()
  })

  it('[FLOW-1.1] a session that is dropped gives its credit back', () => {
    const plan = planner()
    plan.verdict(resume('s', 1), log(1_000))
    plan.verdict(resume('other', 1), log(1))
    plan.sent('s', { last: 25, events: 25, bytes: 20 })
    expect(plan.next()).toBeNull()
    plan.drop('s')
    expect(plan.next()).toEqual({ sessionId: 'other', after: 0, upTo: 1 })
  })

  it('is drained when everything was acked', () => {
    const plan = planner()
    plan.verdict(resume('s', 1), log(3))
    expect(plan.isDrained()).toBe(false)
    send(plan)
    expect(plan.isDrained()).toBe(false)
    plan.acked('s', 3)
    expect(plan.isDrained()).toBe(true)
  })
})

describe('SendPlanner, refused', () => {
  it('[ACK-4.2] goes back to where the hub is', () => {
    const plan = planner()
    plan.verdict(resume('s', 1), log(30))
    send(plan)
    send(plan)
    expect(plan.refused('s', { code: 'SEQ_GAP', details: { expected: 1 } })).toEqual({ kind: 'rewind', to: 0 })
    expect(send(plan)).toEqual(['s', 1, 10])
  })

  it('[ACK-4] an answer that an acknowledgement has overtaken takes nothing back', () => {
    const plan = planner()
    plan.verdict(resume('s', 1), log(30))
    send(plan)
    send(plan)
    plan.acked('s', 10)
    expect(plan.refused('s', { code: 'SEQ_GAP', details: { expected: 1 } })).toEqual({ kind: 'rewind', to: 10 })
  })

  it.each(['STORAGE_UNAVAILABLE', 'FLOW_VIOLATION', 'INTERNAL', 'RATE_LIMITED'])(
    '%s is sent again from the last acknowledgement',
    (code) => {
      const plan = planner()
      plan.verdict(resume('s', 1), log(10))
      send(plan)
      expect(plan.refused('s', { code })).toEqual({ kind: 'rewind', to: 0 })
      expect(send(plan)).toEqual(['s', 1, 10])
    },
  )

  it.each(['SESSION_BLOCKED', 'SESSION_NOT_YOURS', 'SESSION_DELETED', 'MALFORMED_FRAME'])(
    '[BAD-1] %s stops this session and no other',
    (code) => {
      const plan = planner()
      plan.verdict(resume('s', 1), log(20))
      plan.verdict(resume('other', 1), log(1))
      send(plan)
      expect(plan.refused('s', { code })).toEqual({ kind: 'stop' })
      expect(send(plan)).toEqual(['other', 1, 1])
      expect(send(plan)).toBeNull()
    },
  )

  it('an answer for a session that is not served is ignored', () => {
    expect(planner().refused('s', { code: 'SEQ_GAP', details: { expected: 1 } })).toEqual({ kind: 'ignore' })
  })
})

describe('SendPlanner, checking', () => {
  it('[REB-1.2] what was not acked is compared before anything new is sent, one batch at a time', () => {
    const plan = planner()
    plan.verdict(resume('s', 26), log(40, 5))
    expect([send(plan), send(plan)]).toEqual([['s', 6, 15], null])
    plan.acked('s', 15)
    expect([send(plan), send(plan)]).toEqual([['s', 16, 25], null])
    plan.acked('s', 25)
    expect([send(plan), send(plan)]).toEqual([
      ['s', 26, 35],
      ['s', 36, 40],
    ])
  })

  it('[REB-1] a conflict while comparing says what is held', () => {
    const plan = planner()
    plan.verdict(resume('s', 11), log(20, 5))
    send(plan)
    const refused = plan.refused('s', { code: 'SEQ_CONFLICT', details: { seq: 8, committed: 10 } })
    expect(refused).toEqual({ kind: 'rebase', order: { to: 10, held: 7 } })
    expect(send(plan)).toBeNull()
    expect(plan.isDrained()).toBe(false)
  })

  it('[REB-1] a conflict among several batches is compared again from the last acknowledgement', () => {
    const plan = planner()
    plan.verdict(resume('s', 1), log(30))
    send(plan)
    send(plan)
    expect(plan.refused('s', { code: 'SEQ_CONFLICT', details: { seq: 14, committed: 25 } })).toEqual({
      kind: 'rewind',
      to: 0,
    })
    expect(send(plan)).toBeNull()
    plan.acked('s', 10)
    expect(send(plan)).toEqual(['s', 11, 20])
    const refused = plan.refused('s', { code: 'SEQ_CONFLICT', details: { seq: 14, committed: 25 } })
    expect(refused).toEqual({ kind: 'rebase', order: { to: 25, held: 13 } })
  })

  it('[REB-1.2] a log that ends below what the hub holds is rebased once it is compared', () => {
    const plan = planner()
    expect(plan.verdict(resume('s', 11), log(8, 5))).toBeNull()
    expect(send(plan)).toEqual(['s', 6, 8])
    expect(plan.acked('s', 8)).toEqual({ to: 10, held: 8 })
  })

  it('[REB-1] where nothing is left to compare the order comes with the verdict', () => {
    expect(planner().verdict(resume('s', 11), log(8, 8))).toEqual({ to: 10, held: 8 })
    expect(planner().verdict(rebase('s', 7), log(0))).toEqual({ to: 7, held: 0 })
  })

  it('[REB-1.2] another log is compared too: it may be an older state of the same', () => {
    const plan = planner()
    expect(plan.verdict(rebase('s', 20), log(12, 10))).toBeNull()
    expect(send(plan)).toEqual(['s', 11, 12])
    expect(plan.acked('s', 12)).toEqual({ to: 20, held: 12 })
  })

  it('[REB-2.15] acknowledgements of another epoch prove nothing about another log', () => {
    const plan = planner()
    plan.verdict(rebase('s', 8), log(12, 10, 'older epoch'))
    expect(send(plan)).toEqual(['s', 1, 8])
  })

  it('[REB-1] an order that is carried out goes on behind the gap', () => {
    const plan = planner()
    plan.verdict(resume('s', 11), log(8, 8))
    plan.rebased('s', 10, 12)
    expect(send(plan)).toEqual(['s', 11, 12])
  })

  it('[REB-1] a rebase that is asked for again moves nothing twice', () => {
    const plan = planner()
    plan.verdict(resume('s', 11), log(8, 8))
    plan.rebased('s', 10, 12)
    expect(plan.verdict(rebase('s', 10), log(12, 10))).toBeNull()
    expect(send(plan)).toEqual(['s', 11, 12])
  })

  it.each(['deleted', 'not_yours'] as const)('[SES-3] %s ends the sending', (verdict) => {
    const plan = planner()
    plan.verdict(resume('s', 1), log(5))
    plan.verdict({ sessionId: 's', verdict }, log(5))
    expect(plan.next()).toBeNull()
    expect(plan.isDrained()).toBe(true)
  })
})

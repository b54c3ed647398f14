import type { CommandAnswer } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import {
  answerOf,
  type InboxRow,
  type InboxState,
  receiveCancel,
  receiveCommand,
  recoverCommand,
  startCommand,
} from './receive-command'

const error = { code: 'POLICY_DENIED', message: 'no', retryable: false }
const row = (state: InboxState): InboxRow => ({ commandId: 'k', state, ...(state === 'refused' ? { error } : {}) })

interface Cell {
  answer: CommandAnswer
  starts: boolean
  recover: 'run' | 'close_as_unknown' | 'leave'
  recoverLost: 'run' | 'close_as_unknown' | 'leave'
}
const over = { starts: false, recover: 'leave', recoverLost: 'leave' } as const
const table: Record<InboxState, Cell> = {
  accepted: { answer: { state: 'accepted' }, starts: true, recover: 'run', recoverLost: 'close_as_unknown' },
  started: {
    answer: { state: 'accepted' },
    starts: false,
    recover: 'close_as_unknown',
    recoverLost: 'close_as_unknown',
  },
  done: { answer: { state: 'done' }, ...over },
  refused: { answer: { state: 'refused', error }, ...over },
  outcome_unknown: { answer: { state: 'outcome_unknown' }, ...over },
  cancelled: { answer: { state: 'cancelled' }, ...over },
}
const cells = Object.entries(table) as Array<[InboxState, Cell]>

describe('receiveCommand', () => {
  it('[CMD-2] a new id is recorded', () => {
    expect(receiveCommand(undefined)).toEqual({ kind: 'record' })
  })

  it.each(cells)('[CMD-2.9] a repeated id that is %s returns the recorded state', (state, { answer }) => {
    expect(receiveCommand(row(state))).toEqual({ kind: 'repeat', answer })
    expect(answerOf(row(state))).toEqual(answer)
  })

  it('[CMD-4.3] a call back that comes first is recorded, so that the command finds it', () => {
    expect(receiveCancel(undefined)).toEqual({ kind: 'record' })
    expect(receiveCommand(row('cancelled'))).toEqual({ kind: 'repeat', answer: { state: 'cancelled' } })
  })

  it('[CMD-4.7] an accepted command can no more be called back', () => {
    expect(receiveCancel(row('accepted'))).toEqual({ kind: 'repeat', answer: { state: 'accepted' } })
  })

  it.each(cells)('[CMD-3] a command that is %s starts at most once', (state, { starts }) => {
    expect(startCommand(row(state))?.state ?? null).toBe(starts ? 'started' : null)
  })

  it.each(cells)('[CMD-3.1] [REB-1.16] after a crash a command that is %s', (state, { recover, recoverLost }) => {
    expect(recoverCommand(row(state), false)).toBe(recover)
    expect(recoverCommand(row(state), true)).toBe(recoverLost)
  })
})

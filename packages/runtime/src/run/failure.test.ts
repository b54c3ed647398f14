import type { CodedReason, ResumableReason, TurnEnd } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { failureOf } from './failure'

const turn = (reason: TurnEnd, error?: CodedReason) => ({ reason, ...(error ? { error } : {}) })
const exit = (why: ResumableReason, error: CodedReason | null = null) => ({ why, error })
const quota = { code: 'BACKEND_QUOTA', message: 'You reached your limit.' }
const hostDied = {
  code: 'HOST_DIED',
  message: 'The process that ran the program died, and the program was ended.',
}
const lost = { code: 'EVENTS_LOST', message: 'Part of what the program said is lost.' }

it.each<[string, Parameters<typeof failureOf>[0], CodedReason | null]>([
  ['did what it was asked', { turn: turn('completed'), exit: null }, null],
  ['was done before its program crashed', { turn: turn('completed'), exit: exit('process_exited') }, null],
  ['was interrupted', { turn: turn('interrupted'), exit: null }, null],
  ['was stopped in its turn', { turn: turn('process_exited'), exit: exit('ended_by_person') }, null],
  ['was stopped before its turn', { turn: null, exit: null }, null],
  ['failed', { turn: turn('failed', quota), exit: null }, quota],
  ['lost its host', { turn: turn('process_exited'), exit: exit('host_died') }, hostDied],
  ['lost its host before its turn', { turn: null, exit: exit('host_died') }, hostDied],
  [
    'lost its program',
    { turn: turn('process_exited'), exit: exit('process_exited') },
    { code: 'BACKEND_CRASHED', message: 'The program ended unexpectedly.' },
  ],
  ['never had a program', { turn: null, exit: exit('start_failed', quota) }, quota],
  [
    'may have done it',
    { turn: turn('outcome_unknown'), exit: exit('host_died') },
    { code: 'OUTCOME_UNKNOWN', message: 'The program may have received the prompt. Nobody knows what it did.' },
  ],
  ['lost events before its turn ended well', { turn: turn('completed'), exit: null, isTorn: true }, lost],
  ['lost events with the end of its turn', { turn: null, exit: exit('ended_by_person'), isTorn: true }, lost],
  ['lost events, and then its program', { turn: null, exit: exit('host_died'), isTorn: true }, hostDied],
  ['lost events, and was stopped', { turn: turn('process_exited'), exit: exit('ended_by_person'), isTorn: true }, null],
  [
    'needed too many turns',
    { turn: turn('max_turns'), exit: null },
    { code: 'error_max_turns', message: 'The program reached its limit of turns.' },
  ],
])('[RUN-3.4] a run that %s', (_what, ends, failure) => {
  expect(failureOf(ends)).toEqual(failure)
})

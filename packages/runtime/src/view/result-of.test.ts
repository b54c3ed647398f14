import { describe, expect, it } from 'vitest'
import type { TerminalEvent } from '../contract/event'
import { resultOf } from './result-of'

const beside = { providerName: 'claude', providerSessionId: 'b-1', worktreePath: '/w' }
const cost = { numTurns: 1 }

describe('resultOf', () => {
  it.each<[string, TerminalEvent, object]>([
    [
      'a success',
      { kind: 'result', success: true, message: 'Done.', cost },
      { status: 'completed', summary: 'Done.', cost },
    ],
    [
      'a stop',
      { kind: 'result', success: false, errors: ['x'], errorSubtype: 'stopped', cost },
      { status: 'stopped', cost },
    ],
    [
      'a failure',
      { kind: 'result', success: false, errors: ['one', 'two'], errorSubtype: 'error_max_turns' },
      { status: 'failed', failureMode: 'error_max_turns', error: 'one\ntwo' },
    ],
    [
      'a crash',
      { kind: 'error', message: 'Gone.', code: 'BACKEND_CRASHED' },
      { status: 'failed', failureMode: 'BACKEND_CRASHED', error: 'Gone.' },
    ],
  ])('of %s', (_what, terminal, expected) => {
    expect(resultOf(terminal, beside)).toEqual({ ...beside, ...expected })
  })

  it('keeps what the caller knows beside it', () => {
    const known = { ...beside, summary: 'Mine.', workResult: 'passed' as const, commitSha: 'abc' }
    expect(resultOf({ kind: 'result', success: true, message: 'Done.' }, known)).toEqual({
      ...known,
      status: 'completed',
    })
  })
})

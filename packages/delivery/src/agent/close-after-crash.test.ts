import { describe, expect, it } from 'vitest'
import { ask, project } from '../testing/builders'
import { closeAfterCrash, endsWithTurn, type OpenWork, openWorkOf } from './close-after-crash'

const open: OpenWork = {
  procId: 'p',
  turnId: 't',
  silent: false,
  commandId: 'k',
  calls: [{ callId: 'c', parentCallId: null }],
  ledger: {
    r: { ask: ask(), applying: null },
    r2: {
      ask: ask({ requestId: 'r2', callId: 'c2' }),
      applying: { decision: 'allow', effectiveDigest: 'd', commandId: 'k2' },
    },
  },
  grantIds: ['g'],
}

describe('closeAfterCrash', () => {
  it('[LOG-7.13] [RES-2] [PERM-3.2] [PERM-5.39] everything that was open is closed, the turn last', () => {
    expect(closeAfterCrash(open, 'crashed')).toEqual([
      { kind: 'tool_result', procId: 'p', turnId: 't', callId: 'c', output: null, isError: true, interrupted: true },
      {
        kind: 'permission_resolved',
        procId: 'p',
        turnId: 't',
        requestId: 'r',
        callId: 'c',
        outcome: 'orphaned',
        digest: 'd',
      },
      {
        kind: 'permission_resolved',
        procId: 'p',
        turnId: 't',
        requestId: 'r2',
        callId: 'c2',
        commandId: 'k2',
        outcome: 'outcome_unknown',
        decision: 'allow',
        digest: 'd',
        effectiveDigest: 'd',
      },
      { kind: 'grant_ended', grantId: 'g', why: 'crash' },
      { kind: 'turn_completed', procId: 'p', turnId: 't', commandId: 'k', reason: 'process_exited' },
    ])
  })

  it('[LOG-7.3] a prompt that was handed over without a sign of life ends as unknown', () => {
    expect(closeAfterCrash({ ...open, silent: true }, 'crashed').at(-1)).toMatchObject({ reason: 'outcome_unknown' })
  })

  it('[PERM-5.38] grants survive a planned stop', () => {
    expect(closeAfterCrash(open, 'stopped').some(({ kind }) => kind === 'grant_ended')).toBe(false)
  })

  it('[LOG-7] a process that died at rest leaves nothing to close', () => {
    expect(closeAfterCrash({ ...open, turnId: null, calls: [], ledger: {}, grantIds: [] }, 'crashed')).toEqual([])
  })

  it('[LOG-7.13] [LOG-7.15] a call ends with the turn unless a helper made it whose own call has its result', () => {
    const { projection } = project(
      { kind: 'tool_use', callId: 'main', toolName: 'Bash', input: {} },
      { kind: 'tool_use', callId: 'waited-for', toolName: 'Agent', input: {} },
      { kind: 'tool_use', callId: 'in-it', toolName: 'Bash', input: {}, parentCallId: 'waited-for' },
      { kind: 'tool_use', callId: 'started', toolName: 'Agent', input: {} },
      { kind: 'tool_result', callId: 'started', output: 'runs in the background' },
      { kind: 'tool_use', callId: 'beside', toolName: 'Agent', input: {}, parentCallId: 'started' },
      { kind: 'tool_use', callId: 'deeper', toolName: 'Bash', input: {}, parentCallId: 'beside' },
    )
    const ends = (callId: string) => [callId, endsWithTurn(projection, callId)]
    expect(['main', 'waited-for', 'in-it', 'started', 'beside', 'deeper'].map(ends)).toEqual([
      ['main', true],
      ['waited-for', true],
      ['in-it', true],
      ['started', null],
      ['beside', false],
      ['deeper', false],
    ])
  })

  it('[LOG-7] calls that name one another end with no turn, and nothing hangs', () => {
    const openCalls = { a: { parentCallId: 'b' }, b: { parentCallId: 'a' } }
    expect(endsWithTurn({ openCalls }, 'a')).toBe(false)
  })

  it('[LOG-7] after the closing events nothing is open', () => {
    const before = project(
      { kind: 'turn_started', turnId: 't', trigger: 'prompt' },
      { kind: 'tool_use', callId: 'c', toolName: 'Write', input: {} },
      { kind: 'tool_use', callId: 'c2', toolName: 'Write', input: {}, parentCallId: 'c' },
      { kind: 'permission_requested', ask: ask() },
    ).projection
    const work = openWorkOf(before, { procId: 'p', silent: false, ledger: { r: { ask: ask(), applying: null } } })
    expect(work.calls).toEqual([
      { callId: 'c', parentCallId: null },
      { callId: 'c2', parentCallId: 'c' },
    ])
    const after = project(
      { kind: 'turn_started', turnId: 't', trigger: 'prompt' },
      { kind: 'permission_requested', ask: ask() },
      ...closeAfterCrash(work, 'crashed'),
    ).projection
    expect(after).toMatchObject({ turnId: null, requests: {}, openCalls: {} })
  })
})

import type { HostState, SessionEvent, SessionStatus } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { emptyProjection, projectEvent, projectWithoutRoom } from '../index'
import { ask, hostState, project } from '../testing/builders'
import { mergeHostState, viewStatus } from './merge-host-state'

const created: SessionEvent = {
  kind: 'session_created',
  logId: 'log',
  settings: { backend: 'scripted', workDir: '/w' },
  realWorkDir: '/w',
}
const started: SessionEvent = { kind: 'session_started', backendSessionId: 'x', resumed: false }
const turn: SessionEvent = { kind: 'turn_started', turnId: 't', trigger: 'prompt' }
const turnEnd: SessionEvent = { kind: 'turn_completed', turnId: 't', reason: 'completed' }
const asked: SessionEvent = { kind: 'permission_requested', ask: ask() }
const resolved: SessionEvent = {
  kind: 'permission_resolved',
  requestId: 'r',
  callId: 'c',
  outcome: 'applied',
  digest: 'd',
}
const exited: SessionEvent = {
  kind: 'process_exited',
  procId: 'p',
  code: 1,
  signal: null,
  stderrTail: '',
  cause: 'crashed',
}
const ended: SessionEvent = { kind: 'session_ended', why: 'stopped' }

describe('mergeHostState', () => {
  it('[LINK-5.6] the newest (leaseToken, rev) wins, whatever the order of arrival', () => {
    const older = hostState({ leaseToken: 1, rev: 9 })
    const newer = hostState({ leaseToken: 2, rev: 1 })
    expect(mergeHostState(emptyProjection(), older, newer)).toEqual(newer)
    expect(mergeHostState(emptyProjection(), newer, older)).toEqual(newer)
    expect(mergeHostState(emptyProjection(), newer, hostState({ leaseToken: 2, rev: 2 }))?.rev).toBe(2)
    expect(mergeHostState(emptyProjection(), null, null)).toBeNull()
  })

  it('[LINK-5.10] a prompt is shown from the account while its event is still on the way', () => {
    const { projection } = project(created, started)
    const ahead = hostState({ atSeq: 5_000, status: { status: 'needs_you' }, requests: [ask()], turnId: 't' })
    expect(mergeHostState(projection, null, ahead)).toEqual(ahead)
  })

  it('[PERM-1.14] what a helper asks waits for a person while no turn runs, unless its program is gone', () => {
    const { projection } = project(created, started, turn, turnEnd, asked)
    expect(viewStatus(projection, null)).toEqual({ status: 'needs_you' })
    expect(viewStatus(project(created, started, turn, asked, turnEnd, exited).projection, null).status).toBe(
      'resumable',
    )
  })

  it('[LINK-5.9] [PERM-6] what a stored event has closed stays closed under an older account', () => {
    const before = project(created, started, turn, asked).projection
    const account = hostState({ atSeq: 4, status: { status: 'needs_you' }, requests: [ask()], turnId: 't' })
    expect(mergeHostState(before, null, account)).toEqual(account)
    const after = project(created, started, turn, asked, resolved, turnEnd).projection
    expect(mergeHostState(after, account, null)).toEqual({
      ...account,
      requests: [],
      turnId: undefined,
      status: { status: 'idle' },
    })
  })

  it('[LINK-5] [BAD-4.2] a question without room is open while an older account lists it and no event has closed it', () => {
    const [had, gone] = [ask({ requestId: 'had' }), ask({ requestId: 'gone' })]
    const account = hostState({ atSeq: 4, status: { status: 'needs_you' }, requests: [had, gone], turnId: 't' })
    let projection = project(created, started, turn, asked).projection
    for (const { requestId } of [had, gone]) projection = projectWithoutRoom(projection, requestId, 5, 5)
    const after = projectEvent(projection, { ...resolved, requestId: 'gone' }, 6, 6).projection
    expect(mergeHostState(after, account, null)?.requests).toEqual([ask(), had])
    const behindGap = projectEvent(after, { kind: 'gap', from: 7, to: 8, reason: 'pruned' }, 7, 7).projection
    expect(mergeHostState(behindGap, account, null)?.requests).toEqual([])
  })

  it('[LINK-5] the queue is known by the host alone and stays', () => {
    const queue = [{ promptId: 'q', rev: 0, text: 'next', commandId: 'c' }]
    const account = hostState({ atSeq: 1, queue, queueHeld: true })
    expect(mergeHostState(project(created, started).projection, account, null)).toMatchObject({
      queue,
      queueHeld: true,
    })
  })
})

describe('viewStatus', () => {
  const at = (status: SessionStatus, atSeq: number): HostState => hostState({ status, atSeq })
  const cases: Array<[string, SessionEvent[], HostState | null, SessionStatus]> = [
    ['nothing has happened yet', [], null, { status: 'waiting_for_agent' }],
    ['it was created', [created], null, { status: 'starting' }],
    ['the backend is there', [created, started], null, { status: 'idle' }],
    ['a gap hides the beginning', [{ kind: 'gap', from: 1, to: 9, reason: 'pruned' }], null, { status: 'idle' }],
    ['a turn runs', [created, started, turn], null, { status: 'running' }],
    ['somebody must answer', [created, started, turn, asked], null, { status: 'needs_you' }],
    ['the program crashed', [created, started, exited], null, { status: 'resumable', why: 'process_exited' }],
    ['it was resumed', [created, started, exited, started], null, { status: 'idle' }],
    ['it has ended', [created, ended], at({ status: 'running' }, 99), { status: 'ended', why: 'stopped' }],
    [
      'the account knows of an end, and what came before it is not stored',
      [created, started, turn],
      at({ status: 'ended', why: 'stopped' }, 9),
      { status: 'running' },
    ],
    [
      'the account knows of an end that a gap hides',
      [created, started, { kind: 'gap', from: 3, to: 9, reason: 'corrupt' }],
      at({ status: 'ended', why: 'stopped' }, 9),
      { status: 'ended', why: 'stopped' },
    ],
    [
      'the account is as new',
      [created, started],
      at({ status: 'resumable', why: 'idle' }, 2),
      { status: 'resumable', why: 'idle' },
    ],
    [
      'the account knows of a turn that has ended',
      [created, started, turn, turnEnd],
      at({ status: 'running' }, 3),
      { status: 'idle' },
    ],
    [
      'the host is paused in a turn',
      [created, started, turn],
      at({ status: 'paused', why: 'disk' }, 2),
      { status: 'paused', why: 'disk' },
    ],
    [
      'the host is paused at rest',
      [created, started],
      at({ status: 'paused', why: 'policy' }, 1),
      { status: 'paused', why: 'policy' },
    ],
  ]
  it.each(cases)('[LINK-5] %s', (_what, events, state, status) => {
    expect(viewStatus(project(...events).projection, state)).toEqual(status)
  })
})

import {
  type AgentEvent,
  type AgentRunResult,
  AgentRunResult as ResultSchema,
  type SessionEvent,
  type SessionEventOf,
} from '@roundhouse/backend-types'
import { allGoldenEvents, goldenAsk, goldenEvents } from '@roundhouse/backend-types/fixtures'
import { describe, expect, it } from 'vitest'
import { cursorOf, isAfter, readRunCursor } from './cursor'
import { emptyRun, foldRun, type RunLog } from './run-log'

const turn = { turnId: 't1', procId: 'p1' }
const created = goldenEvents.session_created[0]
const started = { ...goldenEvents.session_started[0], procId: 'p1' }
const begins: SessionEvent = { kind: 'turn_started', ...turn, trigger: 'prompt', promptId: 'q1' }
const says = (text: string): SessionEvent => ({ kind: 'assistant_text', ...turn, text })
const ends = (more: Partial<SessionEventOf<'turn_completed'>> = {}): SessionEvent => ({
  kind: 'turn_completed',
  ...turn,
  reason: 'completed',
  ...more,
})
const exits = (cause: SessionEventOf<'process_exited'>['cause']): SessionEvent => ({
  kind: 'process_exited',
  procId: 'p1',
  code: null,
  signal: 'SIGKILL',
  stderrTail: '',
  cause,
})
const sessionEnds: SessionEvent = { kind: 'session_ended', why: 'stopped' }

/** A second passes between two events. */
function fold(log: ReadonlyArray<SessionEvent | null>) {
  let run: RunLog = emptyRun
  const events = log.flatMap((event, index) => {
    const folded = foldRun(run, event, { seq: index + 1, at: 1_000 * index })
    run = folded.run
    return folded.events
  })
  return { run, events }
}
const told = (log: readonly SessionEvent[]): AgentEvent[] => fold(log).events.map(({ event }) => event)
function resultOf(log: readonly SessionEvent[]): AgentRunResult {
  const { done } = fold(log).run
  if (!done) throw new Error('the run is not over')
  return ResultSchema.parse(done)
}

describe('the events of a run', () => {
  it('[RUN-2.1] are what its program said and did, in the order of its log, and one end, which is the last', () => {
    const call = { callId: 'c1', toolName: 'Bash' }
    const events = told([
      created,
      started,
      begins,
      { kind: 'thinking', ...turn, text: 'Hm.' },
      says('I look.'),
      { kind: 'tool_use', ...turn, ...call, input: { command: 'ls' } },
      { kind: 'tool_result', ...turn, callId: 'c1', output: 'a.txt', isError: true },
      says('Done.'),
      ends(),
      exits('killed'),
      sessionEnds,
    ])
    expect(events).toEqual([
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', toolName: 'Bash', toolId: 'c1', input: { command: 'ls' } },
      { type: 'tool_result', toolId: 'c1', output: 'a.txt', isError: true },
      { type: 'text', text: 'Done.' },
      { type: 'done', result: expect.objectContaining({ text: 'I look.\n\nDone.', aborted: false }) },
    ])
  })

  it('[RUN-2.2] go on behind every cursor, so that the beginning and the rest are the whole', () => {
    const { events } = fold([
      created,
      begins,
      says('a'),
      exits('crashed'),
      ends({ reason: 'failed', error }),
      says('b'),
    ])
    const cursors = events.map(cursorOf)
    expect(cursors).toEqual(['3', '4', '5', '5.1'])
    for (const [index, cursor] of cursors.entries()) {
      const rest = events.filter((one) => isAfter(one, readRunCursor(cursor)))
      expect(rest).toEqual(events.slice(index + 1))
    }
    expect(() => readRunCursor('5.1.2')).toThrow('no cursor')
  })

  it('[RUN-2.3] have no words of helpers, but their calls', () => {
    const nested = { parentCallId: 'c1' }
    const events = told([
      begins,
      { kind: 'assistant_text', ...turn, ...nested, text: 'Inside.' },
      { kind: 'tool_use', ...turn, ...nested, callId: 'c2', toolName: 'Read', input: 'a.txt' },
    ])
    expect(events).toEqual([{ type: 'tool_use', toolName: 'Read', toolId: 'c2', input: { value: 'a.txt' } }])
  })

  it('[RUN-2.4] tell a value that the log cut by its ends and its size', () => {
    const [, , cut] = goldenEvents.tool_result
    expect(told([begins, cut as SessionEvent])).toEqual([
      { type: 'tool_result', toolId: 'call_3', output: 'line 1\n[… 3600000 bytes in all]\nline 90000' },
    ])
  })

  it('[RUN-2.5] tell a trouble once, however many events report it', () => {
    const events = told([
      begins,
      { ...exits('start_failed'), error } as SessionEvent,
      ends({ reason: 'failed', error }),
    ])
    expect(events.map(({ type }) => type)).toEqual(['error', 'done'])
  })

  it('can be made of every event of a log, and of one that nobody can read', () => {
    const { run } = fold([...allGoldenEvents, null])
    expect(run.seq).toBeGreaterThan(0)
    expect(fold([null, begins, ends()]).run.done).toMatchObject({ aborted: false })
  })
})

const error = { code: 'BACKEND_QUOTA', message: 'The limit is used up.' }

describe('the result of a run', () => {
  it('[RUN-3.1] has what was said in the main conversation, the id of the conversation, and how long it took', () => {
    expect(resultOf([created, started, begins, says('One.'), says('Two.'), ends()])).toEqual({
      text: 'One.\n\nTwo.',
      sessionId: started.backendSessionId,
      durationMs: 5_000,
      aborted: false,
    })
  })

  it('[RUN-3.2] keeps the end of a text that is too long', () => {
    const { text } = resultOf([begins, ...Array.from({ length: 20 }, (_, i) => says(`${i}`.repeat(99_999))), ends()])
    expect(text.length).toBeLessThanOrEqual(1_048_576)
    expect([text.slice(0, 3), text.slice(-3)]).toEqual(['[…]', '919'])
  })

  it('[RUN-3.3] has the figures that the program reports, and no others', () => {
    const usage = { inputTokens: 18_000, outputTokens: 400, cachedTokens: 12_000, cacheWriteTokens: 5_000 }
    const figures = { usage, cost: 0.05, numTurns: 3, stopReason: 'end_turn', apiDuration: 7_400 }
    expect(resultOf([begins, ends(figures)])).toMatchObject({
      usage: { inputTokens: 18_000, outputTokens: 400, cacheReadTokens: 12_000, cacheWriteTokens: 5_000 },
      totalCostUsd: 0.05,
      apiDurationMs: 7_400,
      numTurns: 3,
      stopReason: 'end_turn',
    })
    const result = resultOf([begins, ends()])
    expect(Object.keys(result).sort()).toEqual(['aborted', 'durationMs', 'text'])
  })

  const died = [begins, says('Half of i')]
  it.each<[string, SessionEvent[], Partial<AgentRunResult>]>([
    ['nothing, where the turn was completed', [begins, ends()], {}],
    ['the code of the program', [begins, ends({ reason: 'failed', error })], { errorSubtype: 'BACKEND_QUOTA' }],
    ['that it failed without a code', [begins, ends({ reason: 'failed' })], { errorSubtype: 'error_during_execution' }],
    ['that it needed too many turns', [begins, ends({ reason: 'max_turns' })], { errorSubtype: 'error_max_turns' }],
    ['that it cost too much', [begins, ends({ reason: 'budget' })], { errorSubtype: 'error_max_budget' }],
    [
      'that the program died, with what it had said',
      [...died, exits('crashed'), ends({ reason: 'process_exited' })],
      { errorSubtype: 'BACKEND_CRASHED', text: 'Half of i' },
    ],
    [
      'that its host died',
      [...died, exits('host_died'), ends({ reason: 'process_exited' })],
      { errorSubtype: 'HOST_DIED', text: 'Half of i' },
    ],
    [
      'that nobody knows what became of the prompt',
      [begins, exits('host_died'), ends({ reason: 'outcome_unknown' })],
      { errorSubtype: 'OUTCOME_UNKNOWN' },
    ],
    [
      'that it was interrupted',
      [begins, ends({ reason: 'interrupted' })],
      { errorSubtype: 'interrupted', aborted: true },
    ],
    [
      'that it was stopped',
      [begins, exits('killed'), ends({ reason: 'process_exited' }), sessionEnds],
      { errorSubtype: 'stopped', aborted: true },
    ],
    ['that it was stopped before its turn', [created, sessionEnds], { errorSubtype: 'stopped', aborted: true }],
    ['that no program started', [created, exits('start_failed'), sessionEnds], { errorSubtype: 'BACKEND_ERROR' }],
    [
      'that part of the log is lost',
      [begins, says('a'), { kind: 'gap', from: 3, to: 9, reason: 'rebase' }, sessionEnds],
      { errorSubtype: 'EVENTS_LOST', text: 'a' },
    ],
  ])('[RUN-3.4] says by `errorSubtype` %s', (_what, log, expected) => {
    const { errorSubtype, text, aborted } = resultOf(log)
    expect({ errorSubtype, text, aborted }).toEqual({ errorSubtype: undefined, text: '', aborted: false, ...expected })
  })

  it('[RUN-1.1] is that of the turn of its prompt, whatever turn is over before', () => {
    const own = { turnId: 't0', procId: 'p1' }
    const { run, events } = fold([
      { kind: 'turn_started', ...own, trigger: 'backend' },
      { kind: 'turn_completed', ...own, reason: 'completed', cost: 1 },
      begins,
      ends({ cost: 0.5 }),
      says('Too late.'),
    ])
    expect(run.done).toMatchObject({ totalCostUsd: 1.5, text: '' })
    expect(events).toHaveLength(1)
  })
})

describe('the denials of a run', () => {
  const asks = (requestId: string, toolName: string): SessionEvent => ({
    kind: 'permission_requested',
    ...turn,
    ask: { ...goldenAsk, requestId, toolName, callId: `call_${requestId}` },
  })
  const resolves = (requestId: string, more: Partial<SessionEventOf<'permission_resolved'>>): SessionEvent => ({
    kind: 'permission_resolved',
    ...turn,
    requestId,
    callId: `call_${requestId}`,
    outcome: 'applied',
    digest: goldenAsk.digest,
    ...more,
  })

  it('[RUN-3.5] are the calls that did not run because nobody allowed them, each once, with the reason', () => {
    const { permissionDenials } = resultOf([
      begins,
      asks('r1', 'Bash'),
      resolves('r1', { decision: 'deny', reason: 'No.' }),
      asks('r2', 'Write'),
      resolves('r2', { decision: 'allow' }),
      asks('r3', 'Edit'),
      resolves('r3', { outcome: 'refused', rule: 'permissionConfig', pattern: 'Edit' }),
      asks('r4', 'WebFetch'),
      resolves('r4', { outcome: 'orphaned' }),
      ends({
        denials: [
          { toolName: 'Bash', callId: 'call_r1' },
          { toolName: 'Task', callId: 'call_x' },
        ],
      }),
    ])
    expect(permissionDenials).toEqual([
      { tool: 'Bash', reason: 'No.' },
      { tool: 'Edit', reason: 'Edit' },
      { tool: 'Task' },
    ])
  })

  it('[RUN-3.5] are bounded, whatever a program asks', () => {
    const log = Array.from({ length: 600 }, (_, i) => [asks(`r${i}`, 'Bash'), resolves(`r${i}`, { decision: 'deny' })])
    expect(resultOf([begins, ...log.flat(), ends()]).permissionDenials).toHaveLength(256)
  })
})

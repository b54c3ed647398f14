import type { BackendOutput, PermissionRequest, TurnCompleteInfo } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import type { Effect } from './effects'
import { readTrace, replay, replayLines } from './replay.test-support'

const out = (output: BackendOutput): Effect => ({ type: 'output', output })
const ask = (request: PermissionRequest): Effect => ({ type: 'ask', request })
const done = (info: TurnCompleteInfo): Effect => ({ type: 'turn_completed', info })
const noMetadata = (model: string): Effect =>
  out({
    kind: 'system',
    subtype: 'warning',
    data: {
      message: `Model metadata for \`${model}\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.`,
    },
  })
/** A block of text as it streams and as it is finished. */
const block = (
  blockId: string,
  kind: 'assistant_text' | 'thinking',
  pieces: string[],
  parentCallId?: string,
): Effect[] => {
  const nested = parentCallId === undefined ? {} : { parentCallId }
  return [
    ...pieces.map((text): Effect => ({ type: 'live', delta: { blockId, kind, text, ...nested } })),
    out({ kind, text: pieces.join(''), blockId, ...nested }),
  ]
}
const says = (blockId: string, ...pieces: string[]) => block(blockId, 'assistant_text', pieces)
const window = (used: number, total = 258_400) => ({ used, total })
const tokens = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens, cachedTokens: 0 })

/** The command of several traces, with what it is asked about. */
function asksFor(callId: string, command: string): Effect[] {
  const input = { command: `/bin/bash -lc '${command}'`, cwd: '/workspace' }
  const meta = {
    backend: 'codex',
    canEdit: false,
    canExplainDeny: true,
    reason: 'Need to leave the sandbox',
    cwd: '/workspace',
  }
  const toolName = 'commandExecution'
  return [out({ kind: 'tool_use', toolName, input, callId }), ask({ callId, toolName, input, meta })]
}

describe('text', () => {
  it('[LOG-5] thoughts and text stream under the id of their finished block', () => {
    expect(replay('text-only')).toEqual([
      noMetadata('fake-model'),
      ...block('rs_fake000003', 'thinking', ['Thinking a bit.']),
      ...says('msg_fake000004', 'Hello from the s', 'cripted model.'),
      done({
        reason: 'completed',
        duration: 175,
        contextUsage: window(11_004),
        usage: tokens(10_984, 20),
        backendMeta: { turnId: '01a1fff1-a094-7282-83a6-63e94052cc6d' },
        backendSessionId: '01a1fff1-a043-7672-a239-e79beee7c53c',
      }),
    ])
  })

  it('counts the tokens of each turn, and tells a repeated warning once', () => {
    const effects = replay('multi-turn')
    expect(effects.filter(({ type }) => type === 'turn_completed')).toEqual([
      done({
        reason: 'completed',
        duration: 131,
        contextUsage: window(10_993),
        usage: tokens(10_973, 20),
        backendMeta: { turnId: '01a1fff1-e324-7081-b557-34f4cd57c3ec' },
        backendSessionId: '01a1fff1-e2fe-7060-bfc6-dd8e4c9ed545',
      }),
      done({
        reason: 'completed',
        duration: 61,
        contextUsage: window(11_074),
        usage: tokens(11_054, 20),
        backendMeta: { turnId: '01a1fff1-e3b5-77b3-86a1-6a390a089ed5' },
        backendSessionId: '01a1fff1-e2fe-7060-bfc6-dd8e4c9ed545',
      }),
      done({
        reason: 'completed',
        duration: 74,
        contextUsage: window(15_778),
        usage: tokens(15_758, 20),
        backendMeta: { turnId: '01a1fff1-e403-72e3-8633-3e039b660b50' },
        backendSessionId: '01a1fff1-e2fe-7060-bfc6-dd8e4c9ed545',
      }),
    ])
    const warnings = effects.filter(
      ({ type, ...rest }) => type === 'output' && JSON.stringify(rest).includes('warning'),
    )
    expect(warnings).toEqual([noMetadata('fake-model'), noMetadata('other-model')])
  })

  it('a plan is a list of steps', () => {
    expect(replay('plan-and-thinking').slice(1, -3)).toEqual([
      ...block('rs_fake000024', 'thinking', ['Two steps will d', 'o.']),
      out({
        kind: 'plan',
        items: [
          { text: 'one', status: 'completed' },
          { text: 'two', status: 'in_progress' },
          { text: 'three', status: 'pending' },
        ],
      }),
    ])
  })

  it('a compaction is told when it starts and when it is done', () => {
    expect(replay('context-window').slice(4, 6)).toEqual([
      out({ kind: 'system', subtype: 'compaction', data: { status: 'started' } }),
      out({ kind: 'system', subtype: 'compaction', data: { status: 'completed' } }),
    ])
  })
})

describe('tools and questions', () => {
  it('an allowed command asks under the id of its call and gives its output', () => {
    expect(replay('tool-allow')).toEqual([
      noMetadata('fake-model'),
      ...says('msg_fake000015', 'I need approval.'),
      ...asksFor('call_fake000017', 'echo hi > file.txt && cat file.txt'),
      out({ kind: 'tool_result', callId: 'call_fake000017', output: 'hi\n' }),
      ...says('msg_fake000020', 'Done.'),
      done({
        reason: 'completed',
        duration: 808,
        contextUsage: window(11_211),
        usage: tokens(22_216, 40),
        backendMeta: { turnId: '01a1fff1-aa66-71f3-8912-42804eb3ec63' },
        backendSessionId: '01a1fff1-aa1e-76b2-9192-eba1f889e416',
      }),
    ])
  })

  it('a denied command is an error result and the turn goes on', () => {
    expect(replay('tool-deny').slice(1, -1)).toEqual([
      ...asksFor('call_fake000024', 'echo hi > file.txt'),
      out({
        kind: 'tool_result',
        callId: 'call_fake000024',
        output: 'The command was refused and did not run.',
        isError: true,
      }),
      ...says('msg_fake000027', 'OK, not doing it', '.'),
    ])
  })

  it('an aborted command ends the turn interrupted, and the next turn works', () => {
    expect(replay('tool-cancel').slice(1)).toEqual([
      ...asksFor('call_fake000031', 'echo hi > file.txt'),
      out({
        kind: 'tool_result',
        callId: 'call_fake000031',
        output: 'The command was refused and did not run.',
        isError: true,
      }),
      done({
        reason: 'interrupted',
        duration: 215,
        contextUsage: window(11_037),
        usage: tokens(11_017, 20),
        backendMeta: { turnId: '01a1fff1-b4ee-7b12-bec1-8a3384e1d59b' },
        backendSessionId: '01a1fff1-b4d5-7e22-bec7-413f803e0bae',
      }),
      ...says('msg_fake000034', 'alive after canc', 'el'),
      done({
        reason: 'completed',
        duration: 97,
        contextUsage: window(11_275),
        usage: tokens(11_255, 20),
        backendMeta: { turnId: '01a1fff1-b5d3-7061-96f1-4bf32a3dd597' },
        backendSessionId: '01a1fff1-b4d5-7e22-bec7-413f803e0bae',
      }),
    ])
  })

  it('[PERM-4] an unanswered command did not run and was not refused', () => {
    expect(replay('permission-error-response').slice(1, -1)).toEqual([
      ...asksFor('call_fake000038', 'echo hi > file.txt'),
      out({ kind: 'tool_result', callId: 'call_fake000038', output: 'The command did not run.', isError: true }),
      ...says('msg_fake000041', 'after error'),
    ])
  })

  it('a failed command says its exit code', () => {
    expect(replay('tool-fail').slice(2, 3)).toEqual([
      out({ kind: 'tool_result', callId: 'call_fake000250', output: 'out\nerr\n(exit code 3)', isError: true }),
    ])
  })

  it('a file change is asked about with its diff', () => {
    const input = { changes: [{ path: '/workspace/new.txt', kind: { type: 'add' }, diff: 'hello\n' }] }
    const meta = { backend: 'codex', canEdit: false, canExplainDeny: true }
    expect(replay('file-change').slice(1, 4)).toEqual([
      out({ kind: 'tool_use', toolName: 'fileChange', input, callId: 'call_fake000103' }),
      ask({ callId: 'call_fake000103', toolName: 'fileChange', input, meta }),
      out({ kind: 'tool_result', callId: 'call_fake000103', output: { status: 'completed', ...input } }),
    ])
  })

  it('the question of an MCP tool names the open call with its arguments', () => {
    const call = { toolName: 'mcp__demo__add', input: { a: 2, b: 3 }, callId: 'call_fake000004' }
    const meta = {
      backend: 'codex',
      canEdit: false,
      canExplainDeny: true,
      reason: 'Allow the demo MCP server to run tool "add"?',
      serverName: 'demo',
    }
    expect(replay('mcp-tool').slice(1, 4)).toEqual([
      out({ kind: 'tool_use', ...call }),
      ask({ ...call, meta }),
      out({ kind: 'tool_result', callId: 'call_fake000004', output: [{ type: 'text', text: '5' }] }),
    ])
  })

  it('a question of the model is a call of its own, and the answer is its result', () => {
    const options = [
      { label: 'Red', description: 'warm' },
      { label: 'Blue', description: 'cold' },
    ]
    const questions = [{ id: 'q1', header: 'Colour', question: 'Which?', isOther: true, isSecret: false, options }]
    const call = { toolName: 'request_user_input', input: { questions }, callId: 'call_fake000018' }
    expect(replay('question').slice(1, 4)).toEqual([
      out({ kind: 'tool_use', ...call }),
      ask({ ...call, meta: { backend: 'codex', canEdit: true, canExplainDeny: true } }),
      out({ kind: 'tool_result', callId: 'call_fake000018', output: { answers: { q1: 'Red' } } }),
    ])
  })

  it('a command that outlives its turn is closed with it, and its end is told later', () => {
    expect(replay('background-command').slice(4)).toEqual([
      out({ kind: 'tool_result', callId: 'call_fake000011', output: '(still running in the background)' }),
      done({
        reason: 'completed',
        duration: 679,
        contextUsage: window(11_082),
        usage: tokens(22_014, 40),
        backendMeta: { turnId: '01a20072-67aa-7cb0-817d-f62294ba132c' },
        backendSessionId: '01a20072-6760-7f53-9ab6-e5dc064c6420',
      }),
      out({
        kind: 'system',
        subtype: 'background_command_ended',
        data: { callId: 'call_fake000011', exitCode: 0, output: 'bg1\nbg2\n' },
      }),
    ])
  })
})

describe('interrupts', () => {
  it('[LOG-5] what was said before an interrupt stays, as a finished block', () => {
    expect(replay('interrupt-stream').slice(1, 5)).toEqual([
      ...says('msg_fake000123', 'I started talkin', 'g and then'),
      done({
        reason: 'interrupted',
        duration: 481,
        backendMeta: { turnId: '01a1fff1-d534-7fe2-8b7f-68297660f60a' },
        backendSessionId: '01a1fff1-d4b4-7ec0-9dcd-abc1392bebfb',
      }),
    ])
  })

  it('a running command is closed and ended, and its late result is not told again', () => {
    expect(replay('interrupt-tool-terminate').slice(2)).toEqual([
      out({ kind: 'tool_result', callId: 'call_fake000043', output: '(interrupted)', isError: true }),
      { type: 'terminate', threadId: '01a20072-74b2-75c3-9c2e-0a1238089eb8', callId: 'call_fake000043' },
      done({
        reason: 'interrupted',
        duration: 372,
        contextUsage: window(10_975),
        usage: tokens(10_955, 20),
        backendMeta: { turnId: '01a20072-74e0-7503-87e6-9937777329c6' },
        backendSessionId: '01a20072-74b2-75c3-9c2e-0a1238089eb8',
      }),
    ])
  })

  it('an open question is withdrawn before the turn ends', () => {
    expect(replay('interrupt-permission').slice(1)).toEqual([
      ...asksFor('call_fake000134', 'touch x'),
      { type: 'withdrawn', callId: 'call_fake000134' },
      out({ kind: 'tool_result', callId: 'call_fake000134', output: '(interrupted)', isError: true }),
      { type: 'terminate', threadId: '01a1fff1-e0c8-7982-93eb-8bcb95139ca1', callId: 'call_fake000134' },
      done({
        reason: 'interrupted',
        duration: 217,
        contextUsage: window(11_057),
        usage: tokens(11_037, 20),
        backendMeta: { turnId: '01a1fff1-e0ec-79a0-8eea-846d61a29214' },
        backendSessionId: '01a1fff1-e0c8-7982-93eb-8bcb95139ca1',
      }),
    ])
  })
})

describe('errors', () => {
  it.each([
    ['api-error-401', 'BACKEND_AUTH', 401],
    ['api-error-429', 'BACKEND_QUOTA', 429],
    ['api-error-529', 'BACKEND_OVERLOADED', 529],
  ])('%s: a repeated attempt is no failure, the last one fails the turn with %s', (trace, code, httpStatus) => {
    const effects = replay(trace)
    const known = expect.objectContaining({ code, httpStatus })
    expect(effects.slice(1, 3)).toEqual([
      out({ kind: 'system', subtype: 'retry', data: known }),
      out({ kind: 'system', subtype: 'error', data: known }),
    ])
    const ends = effects.flatMap((effect) => (effect.type === 'turn_completed' ? [effect.info] : []))
    expect(ends.map(({ reason, error }) => ({ reason, code: error?.code }))).toEqual([
      { reason: 'failed', code },
      { reason: 'completed', code: undefined },
    ])
  })

  it('[LOG-5] the text of an attempt that is repeated is taken back', () => {
    const error = {
      code: 'BACKEND_ERROR',
      message: 'stream disconnected before completion: Transport error: network error: error decoding response body',
    }
    expect(replay('api-drop').slice(1)).toEqual([
      { type: 'live', delta: { blockId: 'msg_fake000233', kind: 'assistant_text', text: 'half' } },
      { type: 'live', delta: { blockId: 'msg_fake000233', kind: 'assistant_text', text: '', discarded: true } },
      out({
        kind: 'system',
        subtype: 'retry',
        data: { code: 'BACKEND_ERROR', message: 'Reconnecting... 1/1', details: error.message },
      }),
      ...says('msg_fake000236', 'half'),
      out({ kind: 'system', subtype: 'error', data: error }),
      done({
        reason: 'failed',
        error,
        duration: 395,
        backendMeta: { turnId: '01a1fff2-32f8-7521-8a7a-e0f76c56a461' },
        backendSessionId: '01a1fff2-32ce-7f60-bfa8-019b433e8650',
      }),
    ])
  })
})

describe('sub-agents', () => {
  it('what a sub-agent says is nested in the call that started it', () => {
    const [main, child] = ['01a1fff6-fc60-75a3-8860-280f9e9e038b', '01a1fff6-fd42-7490-a05b-bd1bba6017cb']
    expect(replay('subagent').slice(1)).toEqual([
      out({
        kind: 'tool_use',
        toolName: 'spawnAgent',
        input: { prompt: 'Please do it. SCRIPT: [{"text":"Subagent report: OK."}]' },
        callId: 'call_fake000014',
      }),
      out({
        kind: 'tool_result',
        callId: 'call_fake000014',
        output: { status: 'completed', agents: { [child]: { status: 'pendingInit', message: null } } },
      }),
      ...says('msg_fake000017', 'Parent done.'),
      ...block('msg_fake000020', 'assistant_text', ['Subagent report:', ' OK.'], 'call_fake000014'),
      done({
        reason: 'completed',
        duration: 395,
        contextUsage: window(11_140),
        usage: tokens(22_129, 40),
        backendMeta: { turnId: '01a1fff6-fcb8-7261-a0ff-925336e20284' },
        backendSessionId: main,
      }),
    ])
  })

  it('a sub-agent that speaks before it is named is heard afterwards', () => {
    const trace = readTrace('subagent')
    const isNaming = ({ frame }: { frame: object }) =>
      JSON.stringify(frame).includes('"collabAgentToolCall"') && JSON.stringify(frame).includes('item/completed')
    const naming = trace.findIndex(isNaming)
    const [line] = trace.splice(naming, 1)
    const isLastOfChild = ({ frame }: { frame: object }) =>
      /item\/completed.*msg_fake000020/.test(JSON.stringify(frame))
    const lastOfChild = trace.findIndex(isLastOfChild)
    trace.splice(lastOfChild + 1, 0, line!)
    const nestedTexts = replayLines(trace).flatMap((effect) =>
      effect.type === 'output' && effect.output.kind === 'assistant_text' ? [effect.output] : [],
    )
    expect(nestedTexts).toEqual([
      { kind: 'assistant_text', text: 'Parent done.', blockId: 'msg_fake000017' },
      {
        kind: 'assistant_text',
        text: 'Subagent report: OK.',
        blockId: 'msg_fake000020',
        parentCallId: 'call_fake000014',
      },
    ])
  })

  it('the second generation of sub-agents is named by its own item, and may outlive the turn', () => {
    const effects = replay('subagent-v2')
    expect(effects.slice(1, 3)).toEqual([
      out({
        kind: 'tool_use',
        toolName: 'spawnAgent',
        input: { agent: '/root/helper', model: 'fake-model' },
        callId: 'call_fake000033',
      }),
      out({ kind: 'tool_result', callId: 'call_fake000033', output: { status: 'started' } }),
    ])
    expect(effects.slice(-2)).toEqual([
      out({
        kind: 'assistant_text',
        text: 'Parent done.',
        blockId: 'msg_fake000039',
        parentCallId: 'call_fake000033',
      }),
      out({ kind: 'system', subtype: 'subagent', data: { status: 'completed', agent: '/root/helper' } }),
    ])
  })
})

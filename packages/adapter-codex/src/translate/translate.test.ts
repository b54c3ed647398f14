/** Recorded turns: text, tools and questions. How turns end is in translate-ends.test.ts. */
import { describe, expect, it } from 'vitest'
import { ask, asksFor, block, denied, done, noMetadata, out, says, tokens, window } from './effects.test-support'
import { replay } from './replay.test-support'

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

  it('[LOG-4] a compaction is told once, when it is done, with what it filled before and after', () => {
    expect(replay('context-window').slice(4, 5)).toEqual([
      out({ kind: 'system', subtype: 'conversation_compacted', data: { tokensBefore: 16_500, tokensAfter: 7_164 } }),
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
        denials: denied('call_fake000031'),
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

  it('a question of the model is a call of its own, whose result repeats no answer: it may be secret', () => {
    const options = [
      { label: 'Red', description: 'warm' },
      { label: 'Blue', description: 'cold' },
    ]
    const questions = [{ id: 'q1', header: 'Colour', question: 'Which?', isOther: true, isSecret: false, options }]
    const call = { toolName: 'request_user_input', input: { questions }, callId: 'call_fake000018' }
    expect(replay('question').slice(1, 4)).toEqual([
      out({ kind: 'tool_use', ...call }),
      ask({
        ...call,
        meta: {
          backend: 'codex',
          canEdit: true,
          canExplainDeny: true,
          form: {
            fields: [
              {
                kind: 'choice',
                name: 'q1',
                label: 'Which?',
                header: 'Colour',
                required: true,
                options: [
                  { value: 'Red', label: 'Red', about: 'warm' },
                  { value: 'Blue', label: 'Blue', about: 'cold' },
                ],
                many: false,
                ownAnswer: true,
              },
            ],
          },
          answerFields: { field: 'answers', names: ['q1'] },
        },
      }),
      out({ kind: 'tool_result', callId: 'call_fake000018', output: 'Answered.' }),
    ])
  })

  it('a command that outlives its turn is closed with it; what it prints, and its end, are told later', () => {
    expect(replay('background-command').slice(4)).toEqual([
      out({ kind: 'tool_result', callId: 'call_fake000011', output: '', background: true }),
      {
        type: 'background',
        running: [
          {
            taskId: 'call_fake000011',
            kind: 'command',
            label: expect.stringContaining('bg1'),
            callId: 'call_fake000011',
            canStop: true,
          },
        ],
      },
      done({
        reason: 'completed',
        duration: 679,
        contextUsage: window(11_082),
        usage: tokens(22_014, 40),
        backendMeta: { turnId: '01a20072-67aa-7cb0-817d-f62294ba132c' },
        backendSessionId: '01a20072-6760-7f53-9ab6-e5dc064c6420',
      }),
      out({ kind: 'tool_progress', callId: 'call_fake000011', text: 'bg2\n' }),
      out({
        kind: 'system',
        subtype: 'background_finished',
        data: {
          taskId: 'call_fake000011',
          kind: 'command',
          label: expect.stringContaining('bg1'),
          callId: 'call_fake000011',
          outcome: 'completed',
          exitCode: 0,
          output: 'bg1\nbg2\n',
        },
      }),
      { type: 'background', running: [] },
    ])
  })
})

/** What recorded dialogues with the real programs become. */
import { describe, expect, it } from 'vitest'
import type { ProfileName } from './profiles'
import { replay } from './replay.test-support'

/** Effects in short: enough to see the order and the content. */
const brief = (program: ProfileName, name: string) =>
  replay(program, name).map((effect) => {
    switch (effect.type) {
      case 'output': {
        const { kind, ...rest } = effect.output
        return [kind, rest]
      }
      case 'live':
        return ['live', effect.delta.text]
      case 'ask':
        return ['ask', effect.request]
      case 'answer':
        return ['answer', effect.outcome]
      case 'turn_completed':
        return ['end', effect.info]
      default:
        return [effect.type, effect]
    }
  })

const meta = (backend: string) => ({ backend, canEdit: false, canExplainDeny: false, cwd: '/workspace' })
const done = (more: object) => ['end', expect.objectContaining({ reason: 'completed', ...more })]

describe('OpenCode', () => {
  it('a call is told once its input is whole, before the request that shows all of it', () => {
    const callId = 'call_fake000005'
    const command = 'echo hi > file.txt && cat file.txt'
    const input = { command, description: 'scripted command', cwd: '/workspace' }
    expect(brief('opencode', 'tool-allow')).toEqual([
      ['live', 'Running.'],
      ['assistant_text', { text: 'Running.', blockId: 'b-1' }],
      ['tool_use', { toolName: 'bash', input, callId }],
      ['ask', { callId, toolName: 'bash', input, meta: meta('opencode') }],
      ['answer', { outcome: 'selected', optionId: 'once' }],
      ['tool_result', { callId, output: 'hi\n' }],
      ['live', 'Done.'],
      ['assistant_text', { text: 'Done.', blockId: 'b-2' }],
      done({
        contextUsage: { used: 7_800, total: 100_000 },
        usage: { inputTokens: 7_800, outputTokens: 20 },
        cost: 0,
        backendMeta: { stopReason: 'end_turn' },
      }),
    ])
  })

  it('a refused call fails in its own words, and its turn is completed', () => {
    expect(brief('opencode', 'tool-deny').slice(2)).toEqual([
      ['answer', { outcome: 'selected', optionId: 'reject' }],
      [
        'tool_result',
        {
          callId: 'call_fake000009',
          output: 'The user rejected permission to use this specific tool call.',
          isError: true,
        },
      ],
      done({}),
    ])
  })

  it('a request shows what the call said before and the change that the program adds', () => {
    const ask = brief('opencode', 'write-file').find(([kind]) => kind === 'ask')
    expect(ask?.[1]).toMatchObject({
      toolName: 'write',
      input: { filePath: '/workspace/w.txt', content: 'hello\n', diff: expect.stringContaining('+hello') },
    })
  })

  it('an interrupt ends the turn with what was written', () => {
    expect(brief('opencode', 'interrupt').slice(0, 4)).toEqual([
      ['live', 'I started talkin'],
      ['live', 'g and then'],
      ['assistant_text', { text: 'I started talking and then', blockId: 'b-1' }],
      ['end', expect.objectContaining({ reason: 'interrupted' })],
    ])
  })

  it('an interrupt takes the request back first, and the call is closed once', () => {
    const effects = brief('opencode', 'tool-cancelled')
    const after = effects.findIndex(([kind]) => kind === 'withdrawn')
    expect(effects.slice(after, after + 4)).toEqual([
      ['withdrawn', { type: 'withdrawn', callId: 'call_fake000012' }],
      ['answer', { outcome: 'cancelled' }],
      ['tool_result', expect.objectContaining({ callId: 'call_fake000012', isError: true })],
      ['end', expect.objectContaining({ reason: 'interrupted' })],
    ])
  })

  it('an error of the model service is the failure of its turn, and the next one works', () => {
    expect(brief('opencode', 'api-error-400')).toEqual([
      [
        'end',
        expect.objectContaining({
          reason: 'failed',
          error: { code: 'BACKEND_ERROR', message: 'scripted 400' },
        }),
      ],
      ['live', 'alive'],
      ['assistant_text', { text: 'alive', blockId: 'b-1' }],
      done({}),
    ])
  })

  it('each turn of several has its own account', () => {
    const ends = brief('opencode', 'multi-turn').filter(([kind]) => kind === 'end')
    expect(ends.map(([, info]) => (info as { stopReason?: string }).stopReason)).toEqual(Array(3).fill('end_turn'))
    expect(ends.map(([, info]) => (info as { usage?: object }).usage)).toEqual([
      { inputTokens: 7_691, outputTokens: 20 },
      { inputTokens: 7_721, outputTokens: 20 },
      { inputTokens: 7_751, outputTokens: 20 },
    ])
  })
})

describe('Gemini', () => {
  it('the request is the first word about a call: its title is the command', () => {
    const callId = 'run_shell_command__run_shell_command_1795295140915_0'
    const command = 'echo hi > file.txt && cat file.txt'
    const input = { command, details: '[current working directory /workspace] (scripted command)' }
    expect(brief('gemini', 'tool-allow').slice(1, 6)).toEqual([
      ['assistant_text', { text: 'Running.', blockId: 'b-1' }],
      ['tool_use', { toolName: 'run_shell_command', input, callId }],
      ['ask', { callId, toolName: 'run_shell_command', input, meta: meta('gemini') }],
      ['answer', { outcome: 'selected', optionId: 'proceed_once' }],
      ['tool_result', { callId, output: '' }],
    ])
  })

  it('nothing comes about a refused call any more: it is closed by what follows', () => {
    const callId = 'run_shell_command__run_shell_command_1795295145551_0'
    expect(brief('gemini', 'tool-deny').slice(2)).toEqual([
      ['answer', { outcome: 'selected', optionId: 'cancel' }],
      ['tool_result', { callId, output: 'Refused.', isError: true }],
      ['live', 'OK not doing it.'],
      ['assistant_text', { text: 'OK not doing it.', blockId: 'b-1' }],
      done({ usage: { inputTokens: 24_917, outputTokens: 40 } }),
    ])
  })

  it('a change of a file is shown by its text', () => {
    const ask = brief('gemini', 'write-file').find(([kind]) => kind === 'ask')
    expect(ask?.[1]).toMatchObject({
      toolName: 'write_file',
      input: { file_path: '/workspace/w.txt', content: 'hello\n', before: '' },
    })
  })

  it('an allow for the session is a plain allow', () => {
    const answers = brief('gemini', 'allow-session').filter(([kind]) => kind === 'answer')
    expect(answers).toEqual([['answer', { outcome: 'selected', optionId: 'proceed_once' }]])
  })

  it('a refusal of the model service has its words', () => {
    const [end] = brief('gemini', 'api-error-400')
    expect(end?.[1]).toMatchObject({ reason: 'failed', error: { message: expect.stringContaining('scripted 400') } })
  })
})

describe('Qwen Code', () => {
  const callId = 'call_scripted000007'
  const command = 'echo hi > file.txt && cat file.txt'
  const input = { command, description: 'scripted command', is_background: false }

  it('a call is announced empty, and told with the request, which shows all of its input', () => {
    expect(brief('qwen', 'tool-allow')).toEqual([
      ['live', 'Running.'],
      ['assistant_text', { text: 'Running.', blockId: 'b-1' }],
      ['tool_use', { toolName: 'execute', input, callId }],
      [
        'ask',
        { callId, toolName: 'execute', input, meta: { ...meta('qwen'), reason: `${command} (scripted command)` } },
      ],
      ['answer', { outcome: 'selected', optionId: 'proceed_once' }],
      ['tool_result', { callId, output: expect.stringContaining('Output: hi') }],
      ['live', 'Done.'],
      ['assistant_text', { text: 'Done.', blockId: 'b-2' }],
      // The usage of each request comes behind its answer.
      done({ usage: { inputTokens: 41_051, outputTokens: 40, cachedTokens: 0 } }),
    ])
  })

  it('a refused call fails in its own words, and its turn is completed', () => {
    expect(brief('qwen', 'tool-deny').slice(2)).toEqual([
      ['answer', { outcome: 'selected', optionId: 'cancel' }],
      [
        'tool_result',
        {
          callId: 'call_scripted000016',
          output: 'Tool "run_shell_command" was canceled by the user.',
          isError: true,
        },
      ],
      done({}),
    ])
  })

  it('a change of a file is shown by its text', () => {
    const ask = brief('qwen', 'write-file').find(([kind]) => kind === 'ask')
    expect(ask?.[1]).toMatchObject({ toolName: 'edit', input: { file_path: '/workspace/w.txt', content: 'hello\n' } })
  })

  it('an interrupt ends the turn with what was written, and takes a request back', () => {
    expect(brief('qwen', 'interrupt').slice(-2)).toEqual([
      ['assistant_text', { text: 'I started talking and then', blockId: 'b-1' }],
      ['end', expect.objectContaining({ reason: 'interrupted' })],
    ])
    expect(brief('qwen', 'tool-cancelled').slice(-4)).toEqual([
      ['withdrawn', { type: 'withdrawn', callId: 'call_scripted000030' }],
      ['answer', { outcome: 'cancelled' }],
      ['tool_result', expect.objectContaining({ callId: 'call_scripted000030', isError: true })],
      ['end', expect.objectContaining({ reason: 'interrupted' })],
    ])
  })

  it('a refusal of the model service has its words', () => {
    const [end] = brief('qwen', 'api-error-400')
    expect(end?.[1]).toMatchObject({ reason: 'failed', error: { message: 'Internal error' } })
  })
})

describe('OpenClaw', () => {
  it('a call is named by its title, and a request shows its input without what only the gateway needs', () => {
    const callId = 'call_scripted000005'
    const command = 'echo hi | tee file.txt'
    const call = { callId, toolName: 'exec', input: { command } }
    expect(brief('openclaw', 'tool-allow')).toEqual([
      ['tool_use', call],
      ['ask', { ...call, meta: { ...meta('openclaw'), reason: `exec: command: ${command}` } }],
      ['answer', { outcome: 'selected', optionId: 'allow-once' }],
      ['tool_result', { callId, output: 'hi' }],
      ['live', 'Done.'],
      ['assistant_text', { text: 'Done.', blockId: 'b-1' }],
      done({ contextUsage: { used: 5_763, total: 100_000 } }),
    ])
  })

  it('a refused call fails in its own words, and the model continues', () => {
    expect(brief('openclaw', 'tool-deny').slice(2)).toEqual([
      ['answer', { outcome: 'selected', optionId: 'deny' }],
      ['tool_result', { callId: 'call_scripted000010', output: expect.stringContaining('user-denied'), isError: true }],
      ['live', 'OK not doing it.'],
      ['assistant_text', { text: 'OK not doing it.', blockId: 'b-1' }],
      done({}),
    ])
  })

  it('it refuses by itself, without asking, a command that it cannot pin down', () => {
    const effects = brief('openclaw', 'refused-itself')
    expect(effects.map(([kind]) => kind)).toEqual(['tool_use', 'tool_result', 'live', 'assistant_text', 'end'])
    expect(effects[1]?.[1]).toMatchObject({ isError: true, output: expect.stringContaining('cannot safely bind') })
  })

  it('an interrupt ends the turn with what was written, and takes a request back', () => {
    expect(brief('openclaw', 'interrupt').slice(-2)).toEqual([
      ['assistant_text', { text: 'I started talking and then', blockId: 'b-1' }],
      ['end', expect.objectContaining({ reason: 'interrupted' })],
    ])
    expect(brief('openclaw', 'tool-cancelled').slice(-4)).toEqual([
      ['withdrawn', { type: 'withdrawn', callId: 'call_scripted000022' }],
      ['answer', { outcome: 'cancelled' }],
      ['tool_result', expect.objectContaining({ callId: 'call_scripted000022', isError: true })],
      ['end', expect.objectContaining({ reason: 'interrupted' })],
    ])
  })

  it('a failed model call says nothing at all: a turn without a word has failed', () => {
    expect(brief('openclaw', 'api-error-400')).toEqual([
      ['end', expect.objectContaining({ reason: 'failed', error: expect.objectContaining({ code: 'BACKEND_ERROR' }) })],
    ])
  })
})

import type { BackendOutput } from '@roundhouse/backend-types'
import { beforeEach, describe, expect, it } from 'vitest'
import { MadeFrames } from './made-frames'
import { ownFrame } from './own-frames'

let frames: MadeFrames
const makeFrames = (wantsPartial: boolean) => {
  let count = 0
  const newId = () => `id-${++count}`
  const made = new MadeFrames({ cwd: '/w', model: 'm', mode: undefined, backend: 'codex', wantsPartial, newId })
  made.sessionId = 'conversation'
  return made
}
beforeEach(() => {
  frames = makeFrames(false)
  frames.begin()
})

const text = (value: string, more = {}): BackendOutput => ({ kind: 'assistant_text', text: value, ...more })

describe('frames of a program that has another language', () => {
  it('begin with system/init, also where the program spoke before its first turn', () => {
    const made = makeFrames(false)
    expect(made.output({ kind: 'system', subtype: 'warning', data: {} })).toEqual([])
    expect(made.begin()).toMatchObject([{ subtype: 'init' }, { subtype: 'warning' }])
    expect(made.begin()).toHaveLength(1)
  })

  it('begin a turn with system/init and end it with a result that has the last text', () => {
    const turn = [...frames.begin(), ...frames.output(text('Hello.')), ...frames.end({ duration: 12, cost: 0.1 })]
    expect(turn).toMatchObject([
      { type: 'system', subtype: 'init', session_id: 'conversation', cwd: '/w', model: 'm', permissionMode: 'default' },
      {
        type: 'assistant',
        message: { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
        parent_tool_use_id: null,
      },
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        result: 'Hello.',
        duration_ms: 12,
        total_cost_usd: 0.1,
        num_turns: 1,
      },
    ])
    expect(new Set(turn.map(({ uuid }) => uuid)).size).toBe(3)
  })

  it('have calls and their results under the same id, and say which sub-agent made them', () => {
    const call = {
      kind: 'tool_use',
      toolName: 'shell',
      input: { command: 'ls' },
      callId: 'c1',
      parentCallId: 'p',
    } as const
    const result = { kind: 'tool_result', callId: 'c1', output: { code: 1 }, isError: true } as const
    expect([...frames.output(call), ...frames.output(result)]).toMatchObject([
      {
        type: 'assistant',
        message: { content: [{ type: 'tool_use', id: 'c1', name: 'shell', input: { command: 'ls' } }] },
        parent_tool_use_id: 'p',
      },
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: 'c1', content: '{"code":1}', is_error: true }] },
        tool_use_result: { code: 1 },
      },
    ])
  })

  it.each([
    ['interrupted', 'error_during_execution'],
    ['max_turns', 'error_max_turns'],
    ['budget', 'error_max_budget_usd'],
    ['failed', 'error_during_execution'],
  ] as const)('a turn that ended as %s is an error of the kind %s', (reason, subtype) => {
    const error = { code: 'BACKEND_ERROR', message: 'It broke.' }
    expect(frames.end({ reason, error })).toMatchObject([
      { type: 'result', subtype, is_error: true, result: 'It broke.', errors: ['It broke.'] },
    ])
  })

  it('end with what the program says of its turn', () => {
    const figures = {
      duration: 900,
      apiDuration: 700,
      numTurns: 3,
      stopReason: 'end_turn',
      usage: { inputTokens: 9, outputTokens: 2, cachedTokens: 5, cacheWriteTokens: 1 },
      denials: [{ toolName: 'shell', callId: 'c', reason: 'no' }],
    }
    expect(frames.end(figures)).toMatchObject([
      {
        duration_ms: 900,
        duration_api_ms: 700,
        num_turns: 3,
        stop_reason: 'end_turn',
        usage: { cache_read_input_tokens: 5, cache_creation_input_tokens: 1 },
        permission_denials: [{ tool_name: 'shell', tool_use_id: 'c', tool_input: {} }],
      },
    ])
  })

  it('end with what was denied in the turn, with its input, also where the program does not count it', () => {
    const input = { command: 'rm x' }
    frames.output({ kind: 'tool_use', callId: 'c', toolName: 'shell', input })
    frames.denied({ callId: 'c', toolName: 'shell', input })
    frames.denied({ callId: 'd', toolName: 'edit', input: {} })
    const denials = [{ toolName: 'shell', callId: 'c', reason: 'no' }]
    const all = [
      { tool_name: 'shell', tool_use_id: 'c', tool_input: input },
      { tool_name: 'edit', tool_use_id: 'd', tool_input: {} },
    ]
    expect(frames.end({ denials })).toMatchObject([{ permission_denials: all }])
    frames.begin()
    expect(frames.end({})).toMatchObject([{ permission_denials: [] }])
  })

  it('an interrupted turn says so in its errors, and never what the assistant said', () => {
    frames.output(text('Half a'))
    expect(frames.end({ reason: 'interrupted' })).toMatchObject([
      { result: 'Half a', errors: ['The turn was interrupted.'] },
    ])
  })

  it('a new turn does not end with the text of the last', () => {
    frames.begin()
    frames.output(text('first'))
    frames.end({})
    frames.begin()
    expect(frames.end({})).toMatchObject([{ result: '' }])
  })

  it('have no live text unless the client wants it', () => {
    expect(frames.delta({ blockId: 'b', kind: 'assistant_text', text: 'He' })).toEqual([])
  })

  it('close a live block before it is told whole, and what is open at the end of the turn', () => {
    frames = makeFrames(true)
    frames.begin()
    const events = [
      ...frames.delta({ blockId: 'b', kind: 'assistant_text', text: 'He' }),
      ...frames.delta({ blockId: 'b', kind: 'assistant_text', text: 'llo' }),
      ...frames.output(text('Hello', { blockId: 'b' })),
      ...frames.delta({ blockId: 't', kind: 'thinking', text: 'Hm' }),
      ...frames.end({ reason: 'interrupted' }),
    ]
    const named = events.map(({ type, event }) => (event as { type: string } | undefined)?.type ?? type)
    expect(named).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_stop',
      'assistant',
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_stop',
      'result',
    ])
  })

  it('tell plans, progress and whatever else the program says', () => {
    const outputs: BackendOutput[] = [
      { kind: 'tool_use', toolName: 'shell', input: {}, callId: 'c' },
      { kind: 'tool_progress', callId: 'c', text: 'half' },
      { kind: 'plan', items: [{ text: 'one', status: 'pending' }] },
      { kind: 'system', subtype: 'warning', data: { message: 'careful', type: 'trick' } },
      { kind: 'system', subtype: 'note', data: 'plain' },
      { kind: 'raw', backend: 'codex', payload: { secret: 1 } },
    ]
    expect(outputs.slice(1).flatMap((output) => frames.output(output))).toMatchObject([
      { type: 'tool_progress', tool_use_id: 'c', text: 'half' },
      { type: 'system', subtype: 'plan', items: [{ text: 'one', status: 'pending' }] },
      { type: 'system', subtype: 'warning', message: 'careful' },
      { type: 'system', subtype: 'note', data: 'plain' },
    ])
  })
})

describe('frames of a program that speaks the language of the client', () => {
  const raw = (payload: unknown): BackendOutput => ({ kind: 'raw', backend: 'claude', payload })

  it('are the very objects that the program printed', () => {
    const frame = { subtype: 'init', unknown: 1, type: 'system' }
    expect(ownFrame(raw(frame))).toBe(frame)
  })

  it.each([
    { type: 'control_request', request: {} },
    { type: 'control_response' },
    { type: 'control_cancel_request' },
    { type: 'command_lifecycle' },
    { lineOf: 3 },
    'no frame',
    null,
    [],
  ])('%j is none', (payload) => {
    expect(ownFrame(raw(payload))).toBeNull()
  })

  it('typed output is none, since it was a frame before', () => {
    expect(ownFrame(text('Hello'))).toBeNull()
  })
})

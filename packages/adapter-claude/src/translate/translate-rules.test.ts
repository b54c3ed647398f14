import { describe, expect, it } from 'vitest'
import type { Frame } from '../wire/frames'
import { Translator } from './translate'
import type { Translated } from './translated'

function translator(more: Partial<ConstructorParameters<typeof Translator>[0]> = {}) {
  return new Translator({
    backendSessionId: 'S',
    workDir: '/code',
    blockPrefix: 'b',
    maxOutputTokens: undefined,
    costBaseline: 0,
    ...more,
  })
}
const types = (events: Translated[]) =>
  events.map((event) => (event.type === 'output' ? event.output.kind : event.type))
const result = (more: Frame = {}): Frame => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  session_id: 'S',
  ...more,
})
const assistant = (content: Frame[], more: Frame = {}): Frame => ({
  type: 'assistant',
  message: { id: 'm', content },
  parent_tool_use_id: null,
  ...more,
})

describe('frames that no recording has', () => {
  it('whatever is not known becomes raw, and never throws', () => {
    const strange: Frame[] = [
      {},
      { type: 7 },
      { type: 'new_thing', data: 1 },
      { type: 'user' },
      { type: 'user', message: { content: 'text alone' } },
      { type: 'user', message: { content: [{ type: 'tool_result' }] } },
      { type: 'tool_progress' },
      { type: 'result' },
      assistant([{ type: 'redacted_thinking', data: 'x' }]),
      assistant([{ type: 'tool_use', name: 'no id' }]),
    ]
    for (const frame of strange) {
      const events = translator()
        .accept(frame)
        .filter(({ type }) => type !== 'turn_started')
      expect(types(events), JSON.stringify(frame)).toEqual(['raw'])
    }
    for (const frame of [{ type: 'assistant' }, { type: 'stream_event' }, { type: 'control_cancel_request' }]) {
      expect(() => translator().accept(frame)).not.toThrow()
    }
  })

  it('init is told once, and again when something in it changed', () => {
    const machine = translator()
    const init = (mode: string): Frame => ({
      type: 'system',
      subtype: 'init',
      session_id: 'S',
      permissionMode: mode,
      uuid: mode,
    })
    expect(['default', 'default', 'plan', 'plan', 'default'].map((mode) => types(machine.accept(init(mode))))).toEqual([
      ['system'],
      [],
      ['mode', 'system'],
      [],
      ['mode', 'system'],
    ])
  })

  it('[LOG-4] another id in the init is where the next start goes on, and is told once, before anything else', () => {
    const machine = translator()
    const init: Frame = { type: 'system', subtype: 'init', session_id: 'OTHER' }
    expect(machine.accept(init)).toEqual([
      { type: 'session', info: { backendSessionId: 'OTHER', provisional: true, resumed: true } },
      { type: 'output', output: { kind: 'system', subtype: 'conversation_moved', data: {} } },
      { type: 'output', output: { kind: 'system', subtype: 'init', data: {} } },
    ])
    expect(machine.accept(init)).toEqual([])
  })

  it('[RES-7] another mode than it was told is a change of its own, told once', () => {
    const machine = translator({ mode: 'plan' })
    const status = (mode: string): Frame => ({ type: 'system', subtype: 'status', status: null, permissionMode: mode })
    const modes = (frame: Frame) =>
      machine.accept(frame).flatMap((event) => (event.type === 'mode' ? [event.mode] : []))
    expect(['plan', 'default', 'default'].map((mode) => modes(status(mode)))).toEqual([[], ['default'], []])
    expect(modes({ type: 'system', subtype: 'init', session_id: 'S', permissionMode: 'plan' })).toEqual(['plan'])
    machine.told('acceptEdits')
    expect(modes(status('acceptEdits'))).toEqual([])
  })

  it('[LOG-5] thoughts that an interrupt cuts short are not taken back', () => {
    const machine = translator()
    const stream = (event: Frame, more: Frame = {}): Frame => ({ type: 'stream_event', event, ...more })
    machine.sent()
    machine.accept(stream({ type: 'message_start', message: { id: 'm' } }))
    machine.accept(stream({ type: 'content_block_start', index: 0, content_block: { type: 'thinking' } }))
    machine.accept(stream({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } }))
    machine.interrupting()
    const end = stream({ type: 'message_stop' }, { abandoned_blocks: { from_block_index: 0 } })
    expect(machine.accept(end)).toEqual([])
    const ended = machine.accept(result({ subtype: 'error_during_execution', is_error: true }))
    expect(types(ended)).toEqual(['turn_completed'])
  })

  it('an MCP server that did not start is named once', () => {
    const machine = translator()
    const init = (...failed: string[]): Frame => ({
      type: 'system',
      subtype: 'init',
      session_id: 'S',
      mcp_servers: [{ name: 'fine', status: 'connected' }, ...failed.map((name) => ({ name, status: 'failed' }))],
    })
    const named = (frame: Frame) => machine.accept(frame).filter(({ type }) => type === 'servers_failed')
    expect(named(init('a'))).toEqual([{ type: 'servers_failed', names: ['a'] }])
    expect(named(init('a', 'b'))).toEqual([{ type: 'servers_failed', names: ['b'] }])
    expect(named(init('a', 'b'))).toEqual([])
  })

  describe('[LOG-7] a prompt that waits for a turn of the program’s own', () => {
    const life = (state: string, uuid = 'P'): Frame => ({ type: 'command_lifecycle', command_uuid: uuid, state })
    /** The program is known to tell what it begins with. */
    const waiting = () => {
      const machine = translator()
      machine.accept(life('completed', 'before'))
      machine.sent('P')
      return machine
    }

    it('ends with its own result, and its turn costs what both cost', () => {
      const machine = waiting()
      expect(types(machine.accept(result({ total_cost_usd: 1 })))).toEqual(['raw'])
      expect(machine.running).toBe(true)
      for (const state of ['queued', 'started']) machine.accept(life(state))
      const ended = machine.accept(result({ total_cost_usd: 3 }))
      expect(ended).toMatchObject([{ type: 'turn_completed', info: { reason: 'completed', cost: 3 } }])
    })

    it('is not failed by the failure of that turn', () => {
      const machine = waiting()
      machine.accept(result({ is_error: true, subtype: 'success' }))
      machine.accept(life('started'))
      expect(machine.accept(result({}))).toMatchObject([{ info: { reason: 'completed' } }])
    })

    it('is over where the program drops it', () => {
      const machine = waiting()
      expect(machine.accept(life('cancelled', 'another'))).toEqual([])
      expect(machine.accept(life('cancelled'))).toMatchObject([{ info: { reason: 'interrupted' } }])
      expect(machine.running).toBe(false)
    })

    it('ends with the first result of a program that tells nothing', () => {
      const machine = translator()
      machine.sent('P')
      expect(types(machine.accept(result({})))).toEqual(['turn_completed'])
    })
  })

  it('init alone starts no turn: no result might follow', () => {
    const machine = translator()
    machine.accept({ type: 'system', subtype: 'init', session_id: 'S' })
    expect(machine.running).toBe(false)
  })

  it('a sub-agent that goes on after the turn starts none, and its call stays open over a result', () => {
    const machine = translator()
    machine.sent()
    machine.accept(
      assistant([{ type: 'tool_use', id: 'inner', name: 'Bash', input: {} }], { parent_tool_use_id: 'outer' }),
    )
    expect(types(machine.accept(result()))).toEqual(['turn_completed'])
    const late = assistant([{ type: 'text', text: 'still here' }], { parent_tool_use_id: 'outer' })
    expect(machine.accept(late)).toEqual([
      { type: 'output', output: { kind: 'assistant_text', text: 'still here', parentCallId: 'outer' } },
    ])
    expect(machine.running).toBe(false)
  })

  it('a result that ends no turn is raw', () => {
    expect(types(translator().accept(result()))).toEqual(['raw'])
  })

  it('an answer that stands in the result alone is told as text, unless something was said already', () => {
    const silent = translator()
    silent.sent()
    expect(silent.accept(result({ result: 'Total cost: $1' })).slice(0, 1)).toEqual([
      { type: 'output', output: { kind: 'assistant_text', text: 'Total cost: $1' } },
    ])
    const spoke = translator()
    spoke.sent()
    spoke.accept(assistant([{ type: 'text', text: 'Hi' }]))
    expect(types(spoke.accept(result({ result: 'Hi' })))).toEqual(['turn_completed'])
  })

  it('judges by is_error, never by the subtype', () => {
    const end = (more: Frame, interrupting = false) => {
      const machine = translator()
      machine.sent()
      if (interrupting) machine.interrupting()
      const last = machine.accept(result(more)).at(-1)
      return last?.type === 'turn_completed' ? last.info.reason : undefined
    }
    expect(end({})).toBe('completed')
    expect(end({ is_error: true, result: 'API Error: 500' })).toBe('failed')
    expect(end({ subtype: 'error_during_execution', is_error: true })).toBe('failed')
    expect(end({ subtype: 'error_during_execution', is_error: true }, true)).toBe('interrupted')
    expect(end({ subtype: 'error_during_execution', terminal_reason: 'aborted_tools' })).toBe('interrupted')
    // It was done before the interrupt reached it.
    expect(end({}, true)).toBe('completed')
    expect(end({ is_error: true, api_error_status: 529 }, true)).toBe('failed')
  })

  it('a request that we cannot serve is refused, so that the program does not wait for ever', () => {
    const frame: Frame = { type: 'control_request', request_id: 'R', request: { subtype: 'request_user_dialog' } }
    expect(translator().accept(frame)).toEqual([
      {
        type: 'reply',
        frame: {
          type: 'control_response',
          response: { subtype: 'error', request_id: 'R', error: 'Unsupported control request: request_user_dialog' },
        },
      },
      {
        type: 'output',
        output: { kind: 'system', subtype: 'unsupported_request', data: { request: 'request_user_dialog' } },
      },
    ])
  })

  it('answers to our own requests come with their error or their body', () => {
    const response = (body: Frame): Frame => ({ type: 'control_response', response: { request_id: 'rh-1', ...body } })
    expect(translator().accept(response({ subtype: 'success', response: { mode: 'plan' } }))).toEqual([
      { type: 'answer', requestId: 'rh-1', response: { mode: 'plan' } },
    ])
    expect(translator().accept(response({ subtype: 'error', error: 'No.' }))).toEqual([
      { type: 'answer', requestId: 'rh-1', response: {}, error: 'No.' },
    ])
  })

  it('progress belongs to the open call that it names, directly or as its parent', () => {
    const machine = translator()
    machine.sent()
    machine.accept(assistant([{ type: 'tool_use', id: 'call', name: 'Bash', input: {} }]))
    const progress = (more: Frame): Frame => ({
      type: 'tool_progress',
      tool_name: 'Bash',
      elapsed_time_seconds: 31,
      ...more,
    })
    const told = { type: 'output', output: { kind: 'tool_progress', callId: 'call', text: 'Bash, 31 s' } }
    expect(machine.accept(progress({ tool_use_id: 'call', parent_tool_use_id: null }))).toEqual([told])
    expect(machine.accept(progress({ tool_use_id: 'bash-progress-1', parent_tool_use_id: 'call' }))).toEqual([told])
    expect(types(machine.accept(progress({ tool_use_id: 'hook-1', parent_tool_use_id: 'gone' })))).toEqual(['raw'])
  })

  it('a process that goes away in an interrupted turn ends it; in any other turn the host does', () => {
    const interrupted = translator()
    interrupted.sent()
    interrupted.interrupting()
    expect(interrupted.abandon()).toEqual([
      { type: 'turn_completed', info: { backendSessionId: 'S', reason: 'interrupted' } },
    ])
    expect(interrupted.abandon()).toEqual([])
    const crashed = translator()
    crashed.sent()
    expect(crashed.abandon()).toEqual([])
  })

  it('warns when the conversation nears its window', () => {
    const machine = translator({ maxOutputTokens: 10_000 })
    const usage = { input_tokens: 90_000 }
    machine.sent()
    machine.accept({
      type: 'assistant',
      message: { id: 'm', model: 'x', content: [], usage },
      parent_tool_use_id: null,
    })
    const events = machine.accept(result({ modelUsage: { x: { contextWindow: 100_000 } } }))
    expect(events).toContainEqual({
      type: 'budget',
      warning: { used: 90_000, hardLimit: 90_000, threshold: 76_500, distanceToHard: 0, maxOutputTokens: 10_000 },
    })
  })
})

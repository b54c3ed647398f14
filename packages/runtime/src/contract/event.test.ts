import { describe, expect, it } from 'vitest'
import { Event, EventKind, marshalEvent, unmarshalEvent } from './event'

/** One of each, with every field, as the document writes it. */
const full: { [K in EventKind]: Extract<Event, { kind: K }> } = {
  init: { kind: 'init', sessionId: 's-1', raw: { a: 1 } },
  system: { kind: 'system', subtype: 'compaction', message: 'Compacted.', raw: { a: 1 } },
  assistant_text: { kind: 'assistant_text', text: 'Hello', raw: { a: 1 } },
  tool_use: {
    kind: 'tool_use',
    toolName: 'Bash',
    toolUseId: 't-1',
    input: { command: 'ls' },
    toolCategory: 'shell',
    raw: { a: 1 },
  },
  tool_result: { kind: 'tool_result', toolName: 'Bash', toolUseId: 't-1', content: 'x', isError: true, raw: { a: 1 } },
  tool_progress: { kind: 'tool_progress', toolName: 'Bash', elapsedSeconds: 1.5, raw: { a: 1 } },
  result: {
    kind: 'result',
    success: false,
    message: 'Done.',
    errors: ['one', 'two'],
    errorSubtype: 'error_max_turns',
    cost: { inputTokens: 1, outputTokens: 2, cachedInputTokens: 3, totalCostUsd: 0.5, numTurns: 4 },
    raw: { a: 1 },
  },
  error: { kind: 'error', message: 'Gone.', code: 'spawn_no_result', raw: { a: 1 } },
}

/** As short as JSON may be: everything that may be absent is. */
const short: Record<EventKind, string> = {
  init: '{"kind":"init","sessionId":"s-1"}',
  system: '{"kind":"system","subtype":"compaction"}',
  assistant_text: '{"kind":"assistant_text","text":""}',
  tool_use: '{"kind":"tool_use","toolName":"Bash","input":{}}',
  tool_result: '{"kind":"tool_result","content":"","isError":false}',
  tool_progress: '{"kind":"tool_progress","toolName":"Bash","elapsedSeconds":0}',
  result: '{"kind":"result","success":true}',
  error: '{"kind":"error","message":""}',
}

describe('an event', () => {
  it('is one of eight kinds', () => {
    expect(Event.options).toHaveLength(8)
    expect(EventKind.options).toEqual(Object.keys(full))
  })

  it.each(EventKind.options)('%s keeps all of its fields in JSON', (kind) => {
    expect(unmarshalEvent(marshalEvent(full[kind]))).toEqual(full[kind])
    expect(JSON.parse(marshalEvent(full[kind]))).toEqual(full[kind])
  })

  it.each(EventKind.options)('%s is written without what is absent', (kind) => {
    const read = unmarshalEvent(short[kind])
    expect(marshalEvent(read)).toBe(short[kind])
    expect(Object.keys(read).every((name) => read[name as keyof Event] !== undefined)).toBe(true)
  })

  it.each(EventKind.options)('%s says its kind first, beside its other fields', (kind) => {
    expect(marshalEvent(full[kind]).startsWith(`{"kind":"${kind}",`)).toBe(true)
  })

  it('leaves out what is empty, as a Go program does', () => {
    const empty = { ...full.result, message: '', errors: [], errorSubtype: '', raw: null }
    expect(marshalEvent(empty)).toBe(
      '{"kind":"result","success":false,"cost":{"inputTokens":1,"outputTokens":2,"cachedInputTokens":3,"totalCostUsd":0.5,"numTurns":4}}',
    )
    expect(marshalEvent({ ...full.result, ...empty, cost: {} })).toBe('{"kind":"result","success":false,"cost":{}}')
  })

  it('reads an input that a Go program left unset', () => {
    expect(unmarshalEvent('{"kind":"tool_use","toolName":"Bash","input":null}')).toEqual({
      kind: 'tool_use',
      toolName: 'Bash',
      input: {},
    })
  })

  it('leaves out fields that it does not know', () => {
    expect(unmarshalEvent('{"kind":"init","sessionId":"s","later":1}')).toEqual({ kind: 'init', sessionId: 's' })
  })

  it.each([
    ['another kind', '{"kind":"telepathy","text":"x"}'],
    ['no kind', '{"text":"x"}'],
    ['a missing field', '{"kind":"init"}'],
    ['a field of another type', '{"kind":"assistant_text","text":1}'],
    ['no object', '"init"'],
    ['no JSON', '{"kind":'],
  ])('with %s is refused', (_what, json) => {
    expect(() => unmarshalEvent(json)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  })

  it('of a kind that is none of the eight cannot be written either', () => {
    expect(() => marshalEvent({ kind: 'telepathy' } as unknown as Event)).toThrow()
  })
})

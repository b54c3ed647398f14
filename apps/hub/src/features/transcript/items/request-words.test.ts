// What a program asked of its tree is told once: on the card of its tool, or on a line of its own.
import type { SessionEvent } from '@roundhouse/backend-types'
import type { SeenEvent } from '@roundhouse/hub-client'
import { describe, expect, it } from 'vitest'
import { buildTranscript } from './build-items'
import { otherSession } from './request-words'

const itemsOf = (...events: SessionEvent[]) => {
  const seen = events.map((event, index) => ({ seq: index + 1, at: 0, storedAt: 0, v: 1, kind: event.kind, event }))
  return buildTranscript(seen as SeenEvent[]).items
}
const use = (toolName: string, input: object = {}): SessionEvent => ({ kind: 'tool_use', callId: 'c', toolName, input })
const result: SessionEvent = { kind: 'tool_result', callId: 'c', output: 'ok' }
const request = (verb: 'spawn' | 'send' | 'wait', input: Record<string, unknown> = {}): SessionEvent => ({
  kind: 'session_request',
  turnId: 't',
  requestId: 'r',
  verb,
  input,
})
const typesOf = (...events: SessionEvent[]) => itemsOf(...events).map(({ type }) => type)
const own = (tool: string) => `mcp__roundhouse__${tool}`

describe('what a program asked of its tree', () => {
  it('is on the card of the tool that asks, and on no line beside it', () => {
    expect(typesOf(use(own('spawn_session')), request('spawn', { prompt: 'Lint.' }), result)).toEqual(['tool'])
    expect(typesOf(use(own('wait_sessions')), request('wait'), result)).toEqual(['tool'])
  })

  it('is a line of its own where it was asked in another way', () => {
    expect(typesOf(use('Bash'), request('spawn', { prompt: 'Lint.' }), result)).toEqual(['tool', 'marker'])
    expect(typesOf(use(own('spawn_session')), result, request('spawn'))).toEqual(['tool', 'marker'])
    expect(typesOf(use('mcp__other__spawn_session'), request('spawn'))).toEqual(['tool', 'marker'])
  })

  it('names the session that it writes to, unless that is no id', () => {
    const markerOf = (sessionId: string) => itemsOf(request('send', { sessionId, text: 'Hello.' }))[0]
    expect(markerOf('ses_1')).toMatchObject({
      marker: { text: 'Writes to another session: Hello.', sessionId: 'ses_1' },
    })
    expect(markerOf('../people')).not.toHaveProperty('marker.sessionId')
  })
})

describe('the session of a card', () => {
  it.each([
    ['its input names', own('send_message'), { sessionId: 'ses_1' }, '', 'ses_1'],
    ['it started', own('spawn_session'), { prompt: 'x' }, '{"sessionId":"ses_2"}', 'ses_2'],
    ['is none where it was refused', own('spawn_session'), { prompt: 'x' }, 'FORBIDDEN', null],
    ['is none by another name than an id', own('send_message'), { sessionId: '//x' }, '', null],
    ['is none for a tool of another server', 'mcp__x__spawn_session', { sessionId: 'ses_1' }, '', null],
    ['is none without an input', own('read_session'), null, '{"sessionId":"ses_2"}', null],
  ])('%s', (_what, toolName, input, output, other) => {
    expect(otherSession({ toolName, input, output })).toBe(other)
  })
})

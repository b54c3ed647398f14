import { expect, it } from 'vitest'
import { LONGEST_LINE_BYTES, readLine } from './read-message'

const text = (message: unknown) => readLine({ kind: 'line', text: JSON.stringify(message) })
const invalid = (message: unknown, named = {}) => ({
  kind: 'error',
  error: { type: 'error', ...named, payload: { code: 'INVALID_MESSAGE', message } },
})

it('reads a request, and ignores members that nobody knows', () => {
  const request = { type: 'session.send', id: 'a', session_id: 's', payload: { message: 'hi' } }
  expect(text({ ...request, later: 1, payload: { message: 'hi', more: 2 } })).toEqual({ kind: 'request', request })
})

it.each(['session.interrupt', 'session.kill'])('%s needs no payload', (type) => {
  expect(text({ type, id: 'a', session_id: 's' })).toMatchObject({ kind: 'request' })
})

it('a blank line is nothing', () => {
  expect(readLine({ kind: 'line', text: ' \r' })).toEqual({ kind: 'blank' })
})

it('a line that is no JSON has no id to answer to', () => {
  expect(readLine({ kind: 'line', text: '{"type":' })).toEqual(invalid(expect.stringContaining('no JSON')))
})

it('a line that is too long is told by its length', () => {
  const line = { kind: 'too_long', bytes: 10_000_000, head: '', tail: '' } as const
  expect(readLine(line)).toEqual(invalid(`A message has at most ${LONGEST_LINE_BYTES} bytes; this one has 10000000.`))
})

it.each([
  ['a list', [], 'A message is a JSON object.', {}],
  ['nothing', null, 'A message is a JSON object.', {}],
  ['no type', { id: 'a' }, 'type: must be a text', { id: 'a' }],
  ['an unknown type', { type: 'session.fly', id: 'a' }, 'Unknown message type: session.fly', { id: 'a' }],
  ['a type of every object', { type: 'toString', id: 'a' }, 'Unknown message type: toString', { id: 'a' }],
  ['a number as its id', { type: 'session.kill', id: 7 }, 'id: must be a text', {}],
  ['no payload', { type: 'session.create', id: 'a' }, expect.stringMatching(/^payload: /), { id: 'a' }],
  [
    'no prompt',
    { type: 'session.create', id: 'a', payload: { cwd: '/w' } },
    expect.stringMatching(/^payload\.prompt: /),
    { id: 'a' },
  ],
  [
    'no message',
    { type: 'session.send', id: 'a', session_id: 's', payload: {} },
    expect.stringMatching(/^payload\.message: /),
    { id: 'a', session_id: 's' },
  ],
  [
    'an answer that is a text',
    { type: 'callback.response', id: 'a', session_id: 's', payload: 'allow' },
    expect.stringMatching(/^payload: /),
    { id: 'a', session_id: 's' },
  ],
  ['no id', { type: 'session.kill', session_id: 's' }, expect.stringMatching(/^id: /), { session_id: 's' }],
  ['an id that is a number', { type: 'session.kill', id: 7, session_id: 's' }, expect.anything(), { session_id: 's' }],
])('%s is INVALID_MESSAGE, and says of which message as far as it can', (_what, message, fault, named) => {
  expect(text(message)).toEqual(invalid(fault, named))
})

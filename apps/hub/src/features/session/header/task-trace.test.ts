import type { SessionEvent } from '@roundhouse/backend-types'
import type { SeenEvent } from '@roundhouse/hub-client'
import { describe, expect, it } from 'vitest'
import { lastOutput, taskTrace } from './task-trace'

const seen = (...events: SessionEvent[]) =>
  events.map((event, at) => ({ seq: at + 1, at: 0, kind: event.kind, event })) as unknown as SeenEvent[]
const use = (callId: string, parentCallId?: string): SessionEvent => ({
  kind: 'tool_use',
  callId,
  toolName: 'Bash',
  input: { command: 'npm test' },
  display: { verb: 'Run', command: 'npm test' },
  ...(parentCallId ? { parentCallId } : {}),
})

describe('the trace of a background task', () => {
  it('is where it began, and what its helper said or did last', () => {
    const events = seen(use('h'), use('other'), use('step', 'h'))
    expect(taskTrace(events, 'h')).toEqual({ seq: 1, last: 'Run npm test' })
    const said = seen(use('h'), use('step', 'h'), { kind: 'assistant_text', text: 'One.\nTwo.', parentCallId: 'h' })
    expect(taskTrace(said, 'h').last).toBe('Two.')
    expect(taskTrace(said, 'other')).toEqual({})
    expect(taskTrace(said, undefined)).toEqual({})
  })
})

describe('what a background command prints', () => {
  const told = (text: string, callId = 'c') => ({ kind: 'tool_progress' as const, callId, text })

  it('is its last lines', () => {
    expect(lastOutput([told('one\ntwo\n')], 'c')).toBe('one\ntwo')
    const many = Array.from({ length: 50 }, (_, n) => `line ${n}`).join('\n')
    expect(lastOutput([told(many)], 'c').split('\n')).toEqual(Array.from({ length: 12 }, (_, n) => `line ${n + 38}`))
    expect(lastOutput([told('10 %\r20 %\r\ndone')], 'c')).toBe('10 %\n20 %\ndone')
  })

  it('is nothing where nothing is told of its call', () => {
    expect(lastOutput([told('one', 'other')], 'c')).toBe('')
    expect(lastOutput([{ ...told('one'), kind: 'assistant_text' }], 'c')).toBe('')
    expect(lastOutput([told('one')], undefined)).toBe('')
  })

  it('keeps a long line short', () => {
    expect(lastOutput([told('x'.repeat(9_000))], 'c')).toHaveLength(4_000)
  })
})

import type { SessionEvent } from '@roundhouse/backend-types'
import type { SeenEvent } from '@roundhouse/hub-client'
import { describe, expect, it } from 'vitest'
import { taskTrace } from './task-trace'

const seen = (...events: SessionEvent[]) =>
  events.map((event, at) => ({ seq: at + 1, at: 0, kind: event.kind, event })) as unknown as SeenEvent[]
const use = (callId: string, parentCallId?: string): SessionEvent => ({
  kind: 'tool_use',
  callId,
  toolName: 'Bash',
  input: { command: 'npm test' },
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

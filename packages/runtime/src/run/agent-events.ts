/** What one event of a log says to whoever follows the run. Pure. */
import type { AgentEvent, AgentRunResult, SessionEvent } from '@roundhouse/backend-types'
import { outputOf, textOf } from './cut-text'
import type { Trouble } from './troubles'

/** Its place: `part` numbers what one event of the log says, from 0. */
export interface AgentLogEvent {
  seq: number
  part: number
  event: AgentEvent
}

interface Beside {
  seq: number
  trouble: Trouble | null
  done: AgentRunResult | null
}

export function agentEventsOf(event: SessionEvent, { seq, trouble, done }: Beside): AgentLogEvent[] {
  const told: AgentEvent[] = [
    ...saidBy(event),
    ...(trouble ? [{ type: 'error', message: trouble.message, code: trouble.code } as const] : []),
    ...(done ? [{ type: 'done', result: done } as const] : []),
  ]
  return told.map((one, part) => ({ seq, part, event: one }))
}

/** The words of helpers are in what their calls give. Their own calls are told. */
function saidBy(event: SessionEvent): AgentEvent[] {
  switch (event.kind) {
    case 'assistant_text': {
      const text = textOf(event.text)
      return event.parentCallId === undefined && text !== '' ? [{ type: 'text', text }] : []
    }
    case 'tool_use':
      return [{ type: 'tool_use', toolName: event.toolName, toolId: event.callId, input: fieldsOf(event.input) }]
    case 'tool_result': {
      const { callId: toolId, output, isError } = event
      return [{ type: 'tool_result', toolId, output: outputOf(output), ...(isError ? { isError } : {}) }]
    }
    default:
      return []
  }
}

function fieldsOf(input: unknown): Record<string, unknown> {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as Record<string, unknown>
  return input === undefined || input === null ? {} : { value: input }
}

/** What the translator tells of one frame, in order. */
import type { Report } from '@roundhouse/adapter-kit'
import type { BackendOutput } from '@roundhouse/backend-types'
import { type Frame, recordAt, textAt } from '../wire/frames'

export type Translated =
  | Report
  /** MCP servers that did not start; why is to be asked. */
  | { type: 'servers_failed'; names: string[] }
  /** The running turn comes to nothing, whatever the CLI still tries: to be ended. */
  | { type: 'hopeless' }
  /** To be written to the CLI. */
  | { type: 'reply'; frame: Frame }
  /** The CLI's answer to a control request of ours. */
  | { type: 'answer'; requestId: string; response: Frame; error?: string }

export function outputs(told: BackendOutput[]): Translated[] {
  return told.map((output) => ({ type: 'output', output }))
}

export function answerOf(frame: Frame): Translated {
  const response = recordAt(frame, 'response')
  const requestId = textAt(response, 'request_id') ?? ''
  const body = recordAt(response, 'response') ?? {}
  if (textAt(response, 'subtype') === 'success') return { type: 'answer', requestId, response: body }
  return { type: 'answer', requestId, response: body, error: textAt(response, 'error') ?? 'Claude Code refused.' }
}

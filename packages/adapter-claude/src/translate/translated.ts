/** What the translator tells of one frame, in order. */
import type {
  BackendOutput,
  LiveDelta,
  PermissionRequest,
  ReportedTask,
  SessionStartedInfo,
  TokenBudgetWarning,
  TurnCompleteInfo,
} from '@roundhouse/backend-types'
import { type Frame, recordAt, textAt } from '../wire/frames'

export type Translated =
  | { type: 'output'; output: BackendOutput }
  | { type: 'live'; delta: LiveDelta }
  | { type: 'ask'; request: PermissionRequest }
  | { type: 'withdrawn'; callId: string }
  /** MCP servers that did not start; why is to be asked. */
  | { type: 'servers_failed'; names: string[] }
  /** The CLI goes on with another conversation. */
  | { type: 'moved'; info: SessionStartedInfo }
  /** The CLI goes on in another mode than it was told. */
  | { type: 'mode'; mode: string }
  | { type: 'turn_started' }
  /** Everything that runs beside the turns. */
  | { type: 'background'; running: ReportedTask[] }
  | { type: 'turn_completed'; info: TurnCompleteInfo }
  | { type: 'budget'; warning: TokenBudgetWarning }
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

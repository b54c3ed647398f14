/** What the translator wants done. The session carries it out, in order. */
import {
  type BackendOutput,
  type BackgroundFinished,
  type BackgroundTask,
  backgroundFinished,
  type LiveDelta,
  type PermissionRequest,
  type TokenBudgetWarning,
  type TurnCompleteInfo,
} from '@roundhouse/backend-types'
import type { RpcId } from '../wire/rpc'

export type Effect =
  | { type: 'output'; output: BackendOutput }
  | { type: 'live'; delta: LiveDelta }
  | { type: 'ask'; request: PermissionRequest }
  | { type: 'withdrawn'; callId: string }
  | { type: 'turn_started' }
  /** Everything that runs beside the turns. */
  | { type: 'background'; running: BackgroundTask[] }
  | { type: 'turn_completed'; info: TurnCompleteInfo }
  | { type: 'budget'; warning: TokenBudgetWarning }
  /** A request of Codex that no person can answer. */
  | { type: 'refuse'; id: RpcId; message: string }
  /** A command that an ended turn left running and that must not go on. */
  | { type: 'terminate'; threadId: string; callId: string }

export const output = (value: BackendOutput): Effect => ({ type: 'output', output: value })
export const system = (subtype: string, data: unknown): Effect => output({ kind: 'system', subtype, data })
export const finished = (data: BackgroundFinished): Effect => system(backgroundFinished, data)
export const raw = (payload: unknown): Effect => output({ kind: 'raw', backend: 'codex', payload })

/** Nested output names the call that started its sub-agent; the main thread has no parent. */
export const nested = (parentCallId: string | undefined) => (parentCallId === undefined ? {} : { parentCallId })

/** What one process reports to its handlers. */
import type {
  BackendConfiguration,
  BackendOutput,
  BackgroundTask,
  ExitInfo,
  LiveDelta,
  PermissionRequest,
  SessionStartedInfo,
  TokenBudgetWarning,
  TurnCompleteInfo,
} from '@roundhouse/backend-types'

export interface SessionEvents {
  started: SessionStartedInfo
  output: BackendOutput
  live: LiveDelta
  ask: PermissionRequest
  withdrawn: string
  turnStarted: undefined
  background: readonly BackgroundTask[]
  turnComplete: TurnCompleteInfo
  budget: TokenBudgetWarning
  settings: BackendConfiguration
  error: Error
  exit: { code: number | null; info: ExitInfo }
}

/** What a running program reports to its host: each kind is one `on...` member of the adapter contract. */
import type {
  BackendConfiguration,
  BackendOutput,
  ExitInfo,
  LiveDelta,
  PermissionRequest,
  ReportedTask,
  SessionStartedInfo,
  SlashCommand,
  TokenBudgetWarning,
  TurnCompleteInfo,
} from '@roundhouse/backend-types'

export type Report =
  /** The conversation that the program works on: at the start, and whenever it goes on with another one. */
  | { type: 'session'; info: SessionStartedInfo }
  | { type: 'output'; output: BackendOutput }
  | { type: 'live'; delta: LiveDelta }
  | { type: 'ask'; request: PermissionRequest }
  | { type: 'withdrawn'; callId: string }
  /** The program goes on in another mode than it was told. */
  | { type: 'mode'; mode: string }
  /** A command of the program changed its settings. */
  | { type: 'settings'; change: BackendConfiguration }
  | { type: 'commands'; commands: readonly SlashCommand[] }
  | { type: 'turn_started' }
  /** Everything that runs beside the turns. */
  | { type: 'background'; running: readonly ReportedTask[] }
  | { type: 'turn_completed'; info: TurnCompleteInfo }
  | { type: 'budget'; warning: TokenBudgetWarning }
  | { type: 'error'; error: Error }
  | { type: 'exit'; code: number | null; info: ExitInfo }

export type ReportOf<T extends Report['type']> = Extract<Report, { type: T }>

/**
 * The player's own protocol: one JSON object a line, on stdin and stdout. The first line in is `start`; the first line out
 * is `ready` or `refused`.
 */
import type {
  BackendImage,
  BackgroundTask,
  CodedReason,
  DeniedCall,
  PlanItem,
  Sandbox,
} from '@roundhouse/backend-types'

/** Everything a conversation is played under. */
export interface Settings {
  model: string
  mode: string
  thinking: string
  sandbox: Sandbox
  systemPrompt?: string
  additionalDirs: string[]
  allowedTools: string[]
  disallowedTools: string[]
  mcpServers: string[]
  maxOutputTokens: number
}

export type Change = Partial<Pick<Settings, 'model' | 'mode' | 'thinking' | 'sandbox'>>
/** What the player is told about an ask. */
export type PlayedDecision = 'allow' | 'deny' | 'abort' | 'unanswered'

export interface ToolOutcome {
  output: unknown
  failed: boolean
  /** It runs on in the background, or was stopped; then `output` is for the model. */
  beside?: boolean
  stopped?: boolean
}

export type ToPlayer =
  | { type: 'start'; resume?: string; fresh?: string; settings: Settings }
  | { type: 'prompt'; text: string; images?: readonly BackendImage[] }
  | { type: 'answer'; call: string; answer: PlayedDecision; reason?: string; input?: unknown }
  | { type: 'interrupt' }
  | { type: 'stop_task'; task: string }
  | { type: 'steer'; id: string; text: string }
  | { type: 'configure'; id: string; change: Change }
  | { type: 'query'; id: string; method: string }

export interface Tokens {
  input: number
  output: number
  cached: number
  written: number
}

/** `under` is the call of the sub-agent that made it. */
export type FromPlayer =
  | { type: 'ready'; session: string; resumed: boolean }
  | { type: 'refused'; code: string; message: string }
  | { type: 'begin' }
  | { type: 'mode'; mode: string }
  /** Everything that runs beside the turns. */
  | { type: 'tasks'; tasks: BackgroundTask[] }
  | { type: 'piece'; block: string; of: 'say' | 'think'; text: string; under?: string }
  | { type: 'forget'; block: string; of: 'say' | 'think'; under?: string }
  | { type: 'say'; block?: string; text: string; under?: string }
  | { type: 'think'; block?: string; text: string; under?: string }
  | { type: 'call'; call: string; tool: string; input: unknown; under?: string }
  | { type: 'progress'; call: string; text: string; under?: string }
  | ({ type: 'result'; call: string; under?: string } & ToolOutcome)
  | { type: 'ask'; call: string; tool: string; input: unknown; reason?: string; cwd: string }
  | { type: 'withdraw'; call: string }
  | { type: 'todo'; items: PlanItem[]; under?: string }
  | { type: 'note'; subtype: string; data: unknown }
  | { type: 'tokens'; used: number; window: number }
  | { type: 'reply'; id: string; value: unknown }
  | {
      type: 'end'
      outcome: 'completed' | 'interrupted' | 'failed'
      error?: CodedReason
      /** In USD. */
      cost?: number
      meta?: Record<string, unknown>
      ms: number
      /** Of those, what the answers of the model took. */
      modelMs: number
      modelCalls: number
      /** Absent where the turn was cut short. */
      stop?: string
      denied: DeniedCall[]
      tokens: Tokens
      used: number
      window: number
    }

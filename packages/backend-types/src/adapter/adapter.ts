/**
 * The adapter contract: what a program must offer to be a backend of Roundhouse.
 *
 * An adapter launches a coding-agent program, parses what it prints, and translates it into the typed
 * `BackendOutput`. Raw frames stay inside. The required members and their names come from the published
 * `@mclawnet/backend-types` 0.1.0; whatever Roundhouse adds is an optional member.
 */
import { z } from 'zod'
import type { CodedError } from '../common/errors'
import { ForeignId } from '../common/ids'
import type { AcceptedValues } from './accepted-values'
import type { ReportedTask } from './background'
import type { Capabilities } from './capabilities'
import type { BackendImage } from './images'
import type { InputShapes } from './input-shape'
import type { BackendManifestEntry } from './manifest'
import type { BackendOutput, LiveDelta } from './output'
import type { PermissionDecision, PermissionRequest } from './permission-request'
import type { ThinkingTokens } from './queries'
import type { Sandbox } from './sandbox'
import type { SlashCommand } from './slash-commands'
import type { SpawnOptions } from './spawn-options'
import type { ToolDisplay } from './tool-display'

/** One running backend process, as its adapter knows it. */
export interface BackendProcess {
  /** Unique for this spawn, minted by the adapter or the host. Not the backend's session id. */
  id: string
  workDir: string
  /** Absent for a backend that is not a child process. */
  pid?: number
  /** Ends the process: SIGTERM, a grace time, SIGKILL. Resolves when it is gone. `onExit` does not fire. */
  kill(): Promise<void>
  /** False once the process has exited, is being killed, or takes no more input. */
  isAlive(): boolean
}

export const ContextUsage = z.object({ used: z.number().min(0), total: z.number().min(0) })
export type ContextUsage = z.infer<typeof ContextUsage>

/** Why a turn ended (LOG-7). `process_exited` and `outcome_unknown` are written by the host, not by adapters. */
export const TurnEnd = z.enum([
  'completed',
  'interrupted',
  'failed',
  'process_exited',
  'max_turns',
  'budget',
  'outcome_unknown',
])
export type TurnEnd = z.infer<typeof TurnEnd>

/** A tool call that the program reports as denied. */
export const DeniedCall = z.object({
  toolName: z.string(),
  callId: ForeignId.optional(),
  reason: z.string().optional(),
})
export type DeniedCall = z.infer<typeof DeniedCall>

/** What the program says of one turn, as far as it says it. Programs of an earlier release report only `usage`, without `cacheWriteTokens`. */
export const TurnFigures = z.object({
  usage: z
    .object({
      /** Everything that was sent, from the cache or not. */
      inputTokens: z.number().min(0).optional(),
      outputTokens: z.number().min(0).optional(),
      /** Read from the cache. */
      cachedTokens: z.number().min(0).optional(),
      cacheWriteTokens: z.number().min(0).optional(),
    })
    .optional(),
  /** Requests to the model, as the program counts them. */
  numTurns: z.number().int().min(0).optional(),
  /** In the program's own words: `end_turn` for example. */
  stopReason: z.string().optional(),
  /** Milliseconds that the requests to the model took. */
  apiDuration: z.number().min(0).optional(),
  denials: z.array(DeniedCall).optional(),
})
export type TurnFigures = z.infer<typeof TurnFigures>

export interface TurnCompleteInfo extends TurnFigures {
  backendSessionId?: string
  /** US dollars of this turn alone. */
  cost?: number
  /** Milliseconds. */
  duration?: number
  contextUsage?: ContextUsage
  backendMeta?: Record<string, unknown>
  /** Absent means `completed`. */
  reason?: Exclude<TurnEnd, 'process_exited' | 'outcome_unknown'>
  /** The backend's own sentence when `reason` is `failed`, with a code of the error table. */
  error?: { code: string; message: string; resetsAt?: number }
}

export interface SessionStartedInfo {
  backendSessionId: string
  /** True until the backend can resume the id: it is not on its disk before the first turn is over (RES-8). */
  provisional?: boolean
  /**
   * Only if a running program continues under another id: whether the conversation contains what was said before (a fork),
   * or is empty (`/clear`).
   */
  resumed?: boolean
}

export interface TokenBudgetWarning {
  used: number
  /** The model's window less `maxOutputTokens`. */
  hardLimit: number
  threshold: number
  distanceToHard: number
  maxOutputTokens: number
}

export interface ExitInfo {
  signal: string | null
  /** The last 4 KiB of stderr. */
  stderrTail: string
}

/**
 * One backend program. Handlers are registered per process, right after `spawn` resolves and before the first
 * `send`; an adapter buffers what arrives earlier, so nothing is lost between the two.
 */
export interface BackendAdapter {
  type: string
  /** Errors: `BACKEND_UNAVAILABLE`, `BACKEND_AUTH`, `RESUME_UNAVAILABLE`, `UNSUPPORTED` as `CodedError`. */
  spawn(options: SpawnOptions): Promise<BackendProcess>
  stop(process: BackendProcess): Promise<void>
  /**
   * Starts a turn. Sent one at a time: the host queues, and sends the next after `onTurnComplete`. `messageId`: a UUID by
   * which the program shall know the prompt, where it can (`rewindFiles`).
   */
  send(process: BackendProcess, input: string, images?: readonly BackendImage[], messageId?: string): void
  onOutput(process: BackendProcess, handler: (output: BackendOutput) => void): void
  onPermissionRequest?(process: BackendProcess, handler: (request: PermissionRequest) => void): void
  respondToPermission?(process: BackendProcess, decision: PermissionDecision): Promise<void>
  onTurnComplete?(process: BackendProcess, handler: (info: TurnCompleteInfo) => void): void
  onError?(process: BackendProcess, handler: (error: Error) => void): void
  /**
   * Fires once per spawn, before any output of that process, and again whenever the program continues under another id,
   * before any output of that conversation.
   */
  onSessionStarted?(process: BackendProcess, handler: (info: SessionStartedInfo) => void): void
  /** Fires for unplanned exits only. */
  onExit?(process: BackendProcess, handler: (code: number | null, info?: ExitInfo) => void): void
  onTokenBudgetWarning?(process: BackendProcess, handler: (warning: TokenBudgetWarning) => void): void
  /** Never rejects, is repeatable, answers within 10 seconds. */
  getManifest(): Promise<BackendManifestEntry>

  /** Token-level text of the blocks that are being written. */
  onLive?(process: BackendProcess, handler: (delta: LiveDelta) => void): void
  /** A turn that the backend began by itself, without a `send` (a finished background task, for example). */
  onTurnStarted?(process: BackendProcess, handler: () => void): void
  /** The backend withdrew a permission request, which needs no decision any more. */
  onPermissionWithdrawn?(process: BackendProcess, handler: (callId: string) => void): void
  /** The backend continues in another mode than requested: it entered plan mode, or a plan was approved. */
  onModeChanged?(process: BackendProcess, handler: (mode: string) => void): void
  /** A command of the program changed its settings (`/model`). */
  onSettingsChanged?(process: BackendProcess, handler: (change: BackendConfiguration) => void): void
  /** Everything that runs beside the turns, told whenever that changes. What is not in it any more has ended. */
  onBackground?(process: BackendProcess, handler: (running: readonly ReportedTask[]) => void): void
  /** Ends one of them. Resolves when the program has received the request; `onBackground` reports its end. */
  stopTask?(process: BackendProcess, taskId: string): Promise<void>
  /** Why this text may not be sent as a prompt: a command that changes what the policy governs (CMD-9). */
  refusePrompt?(text: string): CodedError | null
  /** The slash commands that a person may send, told at the start and whenever they change. */
  onCommands?(process: BackendProcess, handler: (commands: readonly SlashCommand[]) => void): void
  /** Ends the running turn. It still reports `onTurnComplete`, with `interrupted`. A no-op when idle. */
  interrupt?(process: BackendProcess): Promise<void>
  /**
   * Adds to the running turn. Resolves when the program begins with it, which may be in a turn of its own right behind this one.
   * False: there was no turn to steer, or the program gave it back when the turn was stopped. The text was not taken.
   * `begins` is called when the program begins with it, in the order of its output: a promise is heard only after output
   * that was read with it, which may be the answer (CMD-5.27).
   */
  steer?(
    process: BackendProcess,
    input: string,
    images?: readonly BackendImage[],
    begins?: () => void,
  ): Promise<boolean>
  /** Changes a running process. Resolves to the fields that need a restart to take effect. */
  configure?(process: BackendProcess, change: BackendConfiguration): Promise<Array<keyof BackendConfiguration>>
  /**
   * Stops reading the program's output, so that the program waits on its pipe, or continues reading (FLOW-2). Output that
   * was already read may still be reported.
   */
  pauseOutput?(process: BackendProcess, paused: boolean): void
  /**
   * One of `queryMethods`, with its arguments by name (`queryParams`). What the adapter does not answer is `UNSUPPORTED`, with
   * the method. One that sets something resolves to null.
   */
  query?(process: BackendProcess, method: string, params: unknown): Promise<unknown>
  listSessions?(): Promise<Array<{ backendSessionId: string; workDir: string; title: string; updatedAt: number }>>
  /** The record of a conversation as it would have been told; what a person said stands in it as `transcriptPrompt`. */
  readSession?(backendSessionId: string): Promise<BackendOutput[]>
  /** The file in which the backend keeps that conversation; null where it has none. */
  transcriptFile?(backendSessionId: string): Promise<string | null>
  /** While a program of this backend has a conversation open, no other one can continue it. */
  isOnlyWriter?: boolean
  /** It serves `AdapterContext.direct`: every frame of the program comes as `raw`, and its hooks are answered there. */
  isDirect?: boolean
  /** An id that may be given to the first spawn of a new session, where the backend lets us choose (RES-8). */
  mintSessionId?(): string
  capabilities: Capabilities
  /** The values of its settings, as far as they are known without the program. */
  accepted?: AcceptedValues
  /**
   * Describes a call for people. The host calls it for each reported call, with the redacted input. For display only. Pure.
   */
  describeTool?(toolName: string, input: unknown): ToolDisplay
  /** What the inputs of its tools are made of. What a program prints does not change it. */
  inputShapes?: InputShapes
}

/** What a person can change on a session while it lives (RES-7). */
export interface BackendConfiguration {
  model?: string
  mode?: string
  sandbox?: Sandbox
  thinking?: string
  maxThinkingTokens?: ThinkingTokens
}

/**
 * The adapter contract: what a program must offer to be a backend of Roundhouse.
 *
 * An adapter launches a coding-agent program, parses what it prints, and translates it into the typed
 * `BackendOutput`. Raw frames stay inside. The required members and their names come from the published
 * `@mclawnet/backend-types` 0.1.0; whatever Roundhouse adds is an optional member.
 */
import { z } from 'zod'
import type { CodedError } from '../common/errors'
import { AskForm, AskPlan } from '../forms/form'
import type { AcceptedValues } from './accepted-values'
import type { ReportedTask } from './background'
import type { Capabilities } from './capabilities'
import type { BackendImage } from './images'
import type { InputShapes } from './input-shape'
import type { BackendManifestEntry } from './manifest'
import { ThinkingTokens } from './queries'
import { Sandbox } from './sandbox'
import type { SlashCommand } from './slash-commands'
import type { ToolDisplay } from './tool-display'

/** The four decisions on a permission request. `allow_session` also leaves a grant behind (PERM-5). */
export const Decision = z.enum(['allow', 'allow_session', 'deny', 'abort'])
export type Decision = z.infer<typeof Decision>

/** Characters of the reason that a person gives for a decision. It is text to the model. */
export const REASON_LIMIT = 2_000

/**
 * A person's answers to a question or a form: one value for each field that the question names. They fill these fields and
 * change nothing else of the input, so a person who may decide may answer (PERM-2).
 */
const AnswerText = z.string().max(10_000)
export const Answers = z
  .record(z.string().min(1).max(2_000), z.union([AnswerText, z.number(), z.boolean(), z.array(AnswerText).max(100)]))
  .refine((answers) => Object.keys(answers).length <= 100, 'at most 100 answers')
export type Answers = z.infer<typeof Answers>

/** That a request is a question or a form: the field of its input that takes the answers, and the names of the answers. */
export const AnswerFields = z.object({
  field: z.enum(['answers', 'content']),
  names: z.array(z.string().min(1).max(2_000)).max(100),
})
export type AnswerFields = z.infer<typeof AnswerFields>

/** A tool call that waits for a person. `callId` pairs it with its `tool_use`. */
export const PermissionRequest = z.object({
  callId: z.string().min(1),
  toolName: z.string().min(1),
  /** The tool's input as the backend supplied it, complete. */
  input: z.unknown(),
  meta: z
    .object({
      backend: z.string().optional(),
      reason: z.string().optional(),
      cwd: z.string().optional(),
      /** True where an allow may carry `updatedInput`. */
      canEdit: z.boolean().optional(),
      /** True where the backend hands a deny reason to the model. */
      canExplainDeny: z.boolean().optional(),
      /** On a question or a form: nothing runs by an allow, and only `Answers` are needed. */
      answerFields: AnswerFields.optional(),
      /** Beside `answerFields`: the question as people answer it. A list of answers stands for several choices. */
      form: AskForm.optional(),
      /** A plan that waits for approval. */
      plan: AskPlan.optional(),
      /** True where an allow may also change the mode of the session (a plan that is approved). */
      canSetMode: z.boolean().optional(),
      /**
       * The program was told to ask about every command, also about those that it runs unasked by its own rules. What those
       * rules let run: the host allows such a request itself if it can tell that nobody needs to be asked (PERM-11).
       */
      byOwnRules: z
        .object({
          /** Anything: a person chose a mode in which nothing is asked. */
          anything: z.boolean(),
          /** Files of the session's folders are written unasked in this mode. */
          edits: z.boolean(),
          /** Commands that the machine's owner allows: a complete command, words followed by `:*` or ` *`, or `*`. */
          commands: z.array(z.string()),
          /** Commands that the owner wants to be asked about in any case, written so as well. */
          asks: z.array(z.string()),
        })
        .optional(),
      /** The program would allow commands that begin with these words from now on: each a list of words. */
      suggestedCommands: z.array(z.array(z.string())).optional(),
    })
    .catchall(z.unknown())
    .optional(),
})
export type PermissionRequest = z.infer<typeof PermissionRequest>

/**
 * The decision on a `PermissionRequest`. An `allow` without `updatedInput` runs the input as requested. `unanswered` tells
 * the backend that nobody decided, which is not a denial (PERM-4); only the host sets it.
 */
export const PermissionDecision = z.object({
  callId: z.string().min(1),
  decision: Decision,
  reason: z.string().optional(),
  /** The whole input that runs instead: an edit, or the input with the answers of a person in their field. */
  updatedInput: z.unknown().optional(),
  /** Only if the request says `canSetMode`: the session continues in this mode. */
  mode: z.string().optional(),
  /** Changes of the program's own rules, in its own words. Only for a `DirectCaller`. */
  updatedPermissions: z.array(z.unknown()).optional(),
  unanswered: z.boolean().optional(),
})
export type PermissionDecision = z.infer<typeof PermissionDecision>

export const PlanItem = z.object({ text: z.string(), status: z.enum(['pending', 'in_progress', 'completed']) })
export type PlanItem = z.infer<typeof PlanItem>

/** Set on output that a sub-agent made: the `callId` of the tool call that started it. */
const nested = { parentCallId: z.string().optional() }
/** More about the result of a call. */
export const answered = {
  /** The call has its answer, and what it started runs on in the background. */
  background: z.boolean().optional(),
  /** A person's interrupt ended it: no failure of its own. */
  stopped: z.boolean().optional(),
  /** The text that the model was told, if it differs from the call's output. */
  toModel: z.string().optional(),
}
const block = {
  /** Names the live block that this finished block replaces (LOG-5). Absent where the adapter streamed nothing. */
  blockId: z.string().optional(),
  /** The program broke the block off, and its own record has nothing of it. */
  partial: z.boolean().optional(),
}

/**
 * What a backend printed, typed. `raw` is for diagnosis on the agent alone: it is never logged as an event and
 * never leaves the machine (LOG-8). `tool_progress` is only ever live.
 */
export const BackendOutput = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('assistant_text'), text: z.string(), ...block, ...nested }),
  z.object({ kind: z.literal('thinking'), text: z.string(), ...block, ...nested }),
  z.object({ kind: z.literal('tool_use'), toolName: z.string(), input: z.unknown(), callId: z.string(), ...nested }),
  z.object({
    kind: z.literal('tool_result'),
    callId: z.string(),
    output: z.unknown(),
    isError: z.boolean().optional(),
    ...answered,
    ...nested,
  }),
  z.object({ kind: z.literal('plan'), items: z.array(PlanItem), ...nested }),
  z.object({ kind: z.literal('tool_progress'), callId: z.string(), text: z.string(), ...nested }),
  z.object({ kind: z.literal('system'), subtype: z.string(), data: z.unknown() }),
  z.object({ kind: z.literal('raw'), backend: z.string(), payload: z.unknown() }),
])
export type BackendOutput = z.infer<typeof BackendOutput>

/** A piece of a block that is still being written. `text` follows what came before under the same `blockId`. */
export interface LiveDelta {
  blockId: string
  kind: 'assistant_text' | 'thinking'
  text: string
  parentCallId?: string
  /** The attempt was abandoned (for example the model call is retried): forget the block. */
  discarded?: boolean
}

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

/** How to start a backend. Every field has an effect in every adapter, or a stated, tested reason why not. */
export const SpawnOptions = z.object({
  sessionId: z.string(),
  workDir: z.string().optional(),
  /** The `backendSessionId` to continue. An id that the backend no longer knows is `RESUME_UNAVAILABLE`. */
  resumeId: z.string().optional(),
  /** What `mintSessionId` gave: the id of this new conversation. Only for a first spawn, never with `resumeId` (RES-8). */
  newSessionId: z.string().optional(),
  systemPrompt: z.string().optional(),
  /** Load the role's notes (see `roleId`). */
  useBrainCore: z.boolean().optional(),
  mcpConfigPath: z.string().optional(),
  roleId: z.string().optional(),
  /** The query by which the role's notes are ranked. */
  initialUserInput: z.string().optional(),
  additionalDirs: z.array(z.string()).optional(),
  allowedTools: z.array(z.string()).optional(),
  disallowedTools: z.array(z.string()).optional(),
  /** Tokens of one answer. Drives the backend's own limit and the ladder 32k, 16k, 8k. */
  maxOutputTokens: z.number().int().positive().optional(),
  backend: z.string().optional(),
  /** Undefined means `workspace-write` with asking. Bypass is never a default. */
  sandbox: Sandbox.optional(),
  /** Merged over the owner's allow-listed environment. */
  env: z.record(z.string(), z.string()).optional(),
  model: z.string().optional(),
  mode: z.string().optional(),
  thinking: z.string().optional(),
  maxThinkingTokens: ThinkingTokens.optional(),
  /** Resolved into `model` and `mode` before an adapter sees the options (see `resolveSpawnOptions`). */
  turnOverride: z.object({ model: z.string().optional(), mode: z.string().optional() }).optional(),
  /**
   * What one program knows and this contract has no field for, in that program's own words. Only a caller on this machine sets
   * it, for itself: no setting of a session reaches it, so no hub can. A name that the adapter does not know is `UNSUPPORTED`.
   */
  providerConfig: z.record(z.string(), z.unknown()).optional(),
})
export type SpawnOptions = z.infer<typeof SpawnOptions>

/** `turnOverride` beats the sticky `model` and `mode` field by field, for this turn only. */
export function resolveSpawnOptions(options: SpawnOptions): SpawnOptions {
  const { turnOverride, ...sticky } = options
  return {
    ...sticky,
    ...(turnOverride?.model !== undefined ? { model: turnOverride.model } : {}),
    ...(turnOverride?.mode !== undefined ? { mode: turnOverride.mode } : {}),
  }
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

export interface TurnCompleteInfo {
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
  usage?: { inputTokens?: number; outputTokens?: number; cachedTokens?: number }
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

/** A call of a hook that `providerConfig` registered, in the program's own words. */
export interface HookCall {
  event: string
  input: unknown
  /** The tool call that it is about. */
  callId?: string
  /** The program does not wait for the answer any more. */
  withdrawn: AbortSignal
}

/** A caller on this machine that speaks the language of one program: the bridge. */
export interface DirectCaller {
  /** Resolves to the answer in the program's own words. */
  hook(call: HookCall): Promise<Record<string, unknown>>
}

/** The dependencies of an adapter. The agent builds it once per machine; adapters read no other environment. */
export interface AdapterContext {
  /** The environment that programs may inherit: the owner's, cut to the policy's allow-list. */
  env: Record<string, string>
  /** Absolute path of the program where the policy pins one; otherwise it is looked up on `env.PATH`. */
  binaryPath?: string
  /** A private folder for the adapter's scratch files. */
  scratchDir: string
  /**
   * The machine's policy. Unless true, what a repository configures for the program (its MCP servers, hooks,
   * command rules) is not loaded: it would run code before anybody was asked. Its instructions are text, and read as text.
   */
  trustProjectConfig?: boolean
  /** Real paths of the folders that the policy allows: instructions outside of them are not read. Absent: the work folder. */
  roots?: readonly string[]
  /** Takes the secrets out of a text that is read from files for the model. */
  hideSecrets?(text: string): string
  /**
   * Called before a program starts, with folders that do not exist now and that the program may leave behind empty when it
   * is killed. They are removed when the processes of a dead host are ended.
   */
  mayLeave?(folders: readonly string[]): void
  /** Processes of this machine that have all of these in their environment, as far as they let themselves be read in time. */
  markedBy?(entries: Readonly<Record<string, string>>): Promise<number[]>
  /** Set by a caller that speaks the program's own language. An adapter that has no such language ignores it. */
  direct?: DirectCaller
  /**
   * What the machine's policy denies by name, for programs that accept deny rules: they act by their own rules without
   * asking, and nobody else sees such actions. Paths are absolute.
   */
  deny?: {
    tools: readonly string[]
    paths: readonly string[]
    /** The owner wants the program's own sandbox to keep its commands from these paths, at the price that it has. */
    inSandbox?: boolean
  }
}

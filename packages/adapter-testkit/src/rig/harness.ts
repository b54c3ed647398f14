/**
 * What a backend's test file gives the suite: a bench (one adapter with private surroundings) and the prompts that make
 * this backend do the few things every rule needs. README.md says how to fill it in.
 */
import type { BackendAdapter, SpawnOptions, TurnFigures } from '@roundhouse/backend-types'
import type { Recorder } from './recorder'

export interface AdapterHarness {
  /** The adapter's `type`. */
  type: string
  /** Set where the backend cannot run here: its tests are reported as skipped with this reason, and fail when `CI=true`. */
  skipped?: string
  /**
   * The program takes seconds to start: rules that spawn without options of their own share one process and its conversation, for as
   * long as it lives and has no turn open.
   */
  sharesProcess?: true
  /** Absent: every rule is played. */
  plays?(title: string): boolean
  /** The longest a single test may take, in milliseconds. */
  timeoutMs?: number
  /** A fresh adapter in fresh surroundings. The suite disposes of every bench it made. */
  createBench(): Promise<Bench>
  /** An adapter whose program does not exist. */
  createWithoutProgram(): Promise<BackendAdapter>
  prompts: HarnessPrompts
  /** A model that is not the default: its code, and how `modelView().model` names it. */
  otherModel: { code: string; seenAs: string }
  /** What the program says of a turn, beside its usage. A new figure does not compile until it is described. */
  tells: Record<Exclude<keyof TurnFigures, 'usage'>, boolean>
  /** A model that the program or its model service does not have. Absent: it takes none at all. */
  missingModel?: string
  /** Why each `SpawnOptions` field may be set on this backend. A new field does not compile until it is described. */
  fields: Record<keyof SpawnOptions, FieldRule>
}

export interface Bench {
  adapter: BackendAdapter
  /** An existing, empty folder, as its real path. */
  workDir: string
  /** An existing folder that is not below `workDir`. */
  otherDir: string
  /** Goes under the options of every spawn on this bench. */
  spawnOptions?: Partial<SpawnOptions>
  /** What the model was given for the latest request of a turn with a script. */
  modelView(): Promise<ModelView>
  /** Every body that a model service of its own was sent, where there is one. */
  requests?(): unknown[]
  dispose(): Promise<void>
}

export interface ModelView {
  /** Everything that stands above the conversation. */
  system: string
  /** The texts of the person, oldest first, without what the program adds by itself where that can be told apart. */
  userTexts: string[]
  model?: string
  toolNames?: string[]
  maxOutputTokens?: number
  /** Reasoning effort, in the backend's own word. */
  thinking?: string
}

/** A prompt, and the spawn options without which it would not do what its name says. */
export interface HarnessPrompt {
  text: string
  spawn?: Partial<SpawnOptions>
}

export interface HarnessPrompts {
  /** The answer is exactly `answer`, streamed in several pieces where the backend streams. */
  text(answer: string): HarnessPrompt
  /** Streams at least one piece of text, then never ends by itself. */
  longStream(): HarnessPrompt
  /** One tool call that asks; when it runs, the file at this absolute path holds `content`. Then the text `closing`. */
  toolThatAsks(file: string, content: string, closing: string): AskingPrompt
  /** One tool call that runs without asking; its result contains `marker`. Then the text `closing`. */
  toolThatPrints(marker: string, closing: string): HarnessPrompt
  /** A tool call that makes the file at this absolute path and then runs for a minute. If it asks, it is allowed. */
  slowTool(startedFile: string): HarnessPrompt
  /** A tool call whose result contains the value of an environment variable, or nothing of it. If it asks, it is allowed. */
  printEnv(name: string): HarnessPrompt
  /** Two tool calls of one answer that both write like `toolThatAsks`, and whose asks are open at the same time. */
  twoToolsThatAsk?(files: [string, string], content: string): HarnessPrompt
}

export interface AskingPrompt extends HarnessPrompt {
  /** For `allowedTools` and `disallowedTools`. */
  toolName: string
  /** From the input that was asked about to one that writes `content` instead. Only where `supportsEditedInput`. */
  edit?(input: unknown, content: string): unknown
}

/** What a check of the backend's own works with. */
export interface FieldKit {
  bench: Bench
  /** Spawns with these options on top of the bench's own; ended after the test. */
  start(options?: Partial<SpawnOptions>): Promise<Recorder>
}

export type FieldRule =
  /** The suite's own check of this field holds (`suite/standard-fields.ts`). */
  | { kind: 'standard' }
  /** The backend's own check. `title` completes the sentence "SpawnOptions.<field> ...". */
  | { kind: 'effect'; title: string; check(kit: FieldKit): Promise<void> }
  /** `spawn` refuses the field with `UNSUPPORTED`. */
  | { kind: 'unsupported'; value: Partial<SpawnOptions> }
  /** The host resolves it before an adapter sees it, or only the host uses it. */
  | { kind: 'host'; why: string }

/** The fields that no adapter has to look at. Spread into `fields`. */
export const hostFields = {
  sessionId: { kind: 'host', why: 'names the session of Roundhouse, not the conversation of the backend' },
  backend: { kind: 'host', why: 'chooses the adapter' },
  turnOverride: { kind: 'host', why: 'resolved into model and mode by resolveSpawnOptions' },
  roleId: { kind: 'host', why: 'its notes are put into systemPrompt' },
  useBrainCore: { kind: 'host', why: 'its notes are put into systemPrompt' },
  maxThinkingTokens: { kind: 'host', why: 'adapter-kit refuses it unless the adapter answers setMaxThinkingTokens' },
  initialUserInput: { kind: 'host', why: 'ranks the notes that are put into systemPrompt' },
} as const satisfies Partial<Record<keyof SpawnOptions, FieldRule>>

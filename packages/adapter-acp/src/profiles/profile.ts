/** The differences between the programs of the protocol, as data. A profile says what a launch must set, and how the program behaves then. */
import type { KnownTool } from '@roundhouse/adapter-kit'
import type { Json } from '@roundhouse/adapter-kit/read'
import type {
  AdapterContext,
  Capabilities,
  LeftOut,
  ManifestChoice,
  Sandbox,
  SpawnOptions,
} from '@roundhouse/backend-types'
import type { NameCall } from '../translate/calls'

/** How the program receives a setting while the conversation is open. Absent: it does not. */
export type Saying =
  /** An option of the conversation that the program itself lists. */
  | { by: 'config_option'; id: string }
  /** A request of its own. It takes the value under this name, beside the id of the conversation. */
  | { by: 'method'; method: string; param: string }

export interface Profile {
  name: string
  /** How the program is started where the policy names no other way: its name on the PATH, then its arguments. */
  argv: readonly [string, ...string[]]
  guard: Guard
  launch?: LaunchNeeds
  says: Sayings
  takes: Takings
  history: History
  /** When its model call fails it says nothing: a turn without a word has failed. */
  failsSilently?: true
  /** Those that a person may choose; all of them ask. The default is set at every start. */
  modes: readonly ManifestChoice[]
  sandboxes: readonly Sandbox[]
  nameCall: NameCall
  /** Null: only a person decides. Pure. */
  harmlessCall?(call: AskedCall, workDir: string): HarmlessCall | null
  tools: Readonly<Record<string, KnownTool>>
  capabilities: Partial<Capabilities>
}

/** What some programs need beside their arguments and their environment. */
export interface LaunchNeeds {
  privateConfig?: PrivateConfig
  companion?: Companion
  /** It runs on the Node.js of the PATH, and does not start on one that its own package refuses. */
  needsNode?: true
  /**
   * Its command is a launcher that survives both signals, or outlives the program: the real one is the file of this name beside it, for the
   * Node.js of the PATH.
   */
  behindLauncher?: { launcher: string; program: string }
  /** Of a program that takes longer than others: for each answer that a start needs. */
  startTimeoutMs?: number
}

/** A file of configuration that is written for each process, in its private folder. */
export interface PrivateConfig {
  /** Names the file to the program. */
  variable: string
  /** The file that it takes the place of: below HOME, or below the folder that a variable of the owner names, or one of the whole machine. */
  owners?: { folder: string; folderVariable: string; file: string } | { path: string }
  /** Pure. */
  of(place: ConfigPlace): Json
}

export interface ConfigPlace {
  options: SpawnOptions
  workDir: string
  tmpDir: string
  deny: AdapterContext['deny'] | undefined
  /** What the owner's file says. */
  owners: Json
  /** The policy trusts what a repository configures. */
  trustProjectConfig: boolean
  /** Where the companion listens, and who may speak to it. */
  gateway?: { port: number; token: string } | undefined
}

/** A second process, which the program talks to on a private port. It belongs to one session and ends with it. */
export interface Companion {
  /** How a message calls it. */
  label: string
  /** In the place of the program's own arguments. */
  args: readonly string[]
  /** Answers with success once it is ready. */
  readyPath: string
  /** Below HOME: what it keeps of each conversation, in a folder of its own. Two companions never share one. */
  stateFolder: string
  /** Names the folder to the companion and to the program. */
  stateVariable: string
  /** Names a folder for its compiled code, which makes every start after the first one faster. */
  cacheVariable: string
}

/** What every launch sets. A session cannot change it. */
export interface Guard {
  /** Over every other environment: without these it would not ask, or would run what a repository configures. */
  env: Readonly<Record<string, string>>
  /** Left out of the owner's environment: they would undo the guard. */
  without: readonly string[]
  /** Also set unless the policy trusts what a repository configures. */
  distrust: Readonly<Record<string, string>>
  /** Only the owner sets these: they decide whose login and configuration the program uses, or what it asks. */
  ownersVariables: RegExp
  /** Commands that a prompt may not be, and what each changes. By their first words, in small letters. */
  refusedCommands: Readonly<Record<string, string>>
  /** It takes no commands from a prompt, so those that it lists are not offered. */
  hidesCommands?: boolean
  /** What a repository may configure for it, and the guard leaves out. */
  projectFiles: readonly LeftOut[]
  /** For a program that runs commands which it considers harmless: rules that make it ask about every command. */
  rules?: GuardRules
}

export interface GuardRules {
  /** The content of the file that `SayingPlace.rules` names. Pure. */
  text(deny: AdapterContext['deny'], workDir: string): string
  /** A folder of the machine. With a file of this ending in it, the program ignores our rules. */
  overruledBy: { folder: string; ending: string }
}

export interface AskedCall {
  toolName: string
  input: unknown
}

/** About such a call the guard makes the program ask, so that the host can judge it without a person (PERM-10, PERM-14). */
export interface HarmlessCall {
  /** It reads this file, or what lies in this folder, and follows no links there. Absent: it is a command in the session's folder. */
  reads?: string
}

/** How the program receives what a session asks for. */
export interface Sayings {
  /** `file`: in a file that `env` names. `first_prompt`: in front of the first prompt, since it has no other place. */
  systemPrompt: 'file' | 'first_prompt'
  model?: Saying
  mode?: Saying
  /** More of the environment. Pure. */
  env?(options: SpawnOptions, place: SayingPlace): Record<string, string>
  /** More arguments. Pure. */
  args?(options: SpawnOptions, place: SayingPlace): string[]
}

export interface SayingPlace {
  /** A file with the system prompt. */
  instructions?: string | undefined
  /** A file with the rules of the guard. */
  rules?: string | undefined
  /** What the policy denies by name, for a program that acts by rules of its own without asking. */
  deny?: AdapterContext['deny'] | undefined
}

/** What the program accepts from a session; the adapter refuses the rest. `Sayings.env` carries lists of tools and folders. */
export interface Takings {
  toolLists: boolean
  folders: boolean
  /** It starts the servers that it is given, also in a folder that it does not trust. */
  mcpServers: boolean
}

export interface History {
  /** A conversation is on its disk only after its first turn. */
  isProvisional: boolean
  /**
   * What `session/load` tells again comes before its reply. Of a program that tells it behind the reply: the kind of update that
   * comes behind all of it.
   */
  toldUntil?: string
  loadTrap?: LoadTrap
  emptyTwins?: EmptyTwins
  /** What else a request to continue must say. */
  resumeWith?(sessionId: string): Json
  terminalResume?: string
}

/**
 * A program that leaves an empty second file of a conversation when it continues it, and deletes all files of that conversation at
 * one of its next starts.
 */
export interface EmptyTwins {
  /** Below HOME; `*` stands for any one folder. */
  folder: readonly string[]
  /** What only the files of one conversation have in common. Undefined: no file of a conversation. */
  conversationOf(file: string): string | undefined
  isEmpty(text: string): boolean
}

/** A program that loses a conversation when it is loaded too early, by the names of its own files. */
export interface LoadTrap {
  /** Below HOME; `*` stands for any one folder. */
  folder: readonly string[]
  /** The milliseconds to wait, if this file belongs to the conversation. */
  waitMs(file: string, sessionId: string, now: Date): number
  /** Why there is a wait, in sentences for people. `label`: of the program. */
  why(label: string): string
}

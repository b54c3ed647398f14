/** What the core needs of a store to keep commands: until they are sent, until they are settled, and as proof of who did what. */
import type { CommandBody, CommandKind, CommandState } from '@roundhouse/backend-types'

export interface CommandRow {
  commandId: string
  sessionId: string
  agentId: string
  cmdSeq: number | null
  kind: CommandKind
  /** With `textLength`, the length of its text, it may have the beginning of that only (VIEW-9). */
  body: CommandBody
  textLength?: number
  state: CommandState
  authorId: string
  authorName: string
  /** Of the program that sent it; null: the person did. */
  tokenId: string | null
  createdAt: number
  expiresAt: number | null
  promptId: string | null
  requestId: string | null
  errorCode: string | null
  errorMessage: string | null
  dismissed: boolean
  damaged?: true
}

export interface CommandError {
  code: string
  message: string
}

/** What of a command says whether its turn has come: its body is read when it leaves. */
export type DueRow = Pick<CommandRow, 'commandId' | 'sessionId' | 'cmdSeq' | 'state' | 'kind'>

/** What of a command the event stream looks at. */
export type CommandMark = Pick<CommandRow, 'commandId' | 'sessionId' | 'kind' | 'state' | 'promptId'>

/** A command as the hub stored it. */
export interface GivenCommand {
  commandId: string
  sessionId: string
  kind: CommandKind
  body: CommandBody
  authorId: string
  authorName: string
  /** The event that it bears out already, of the kind that was asked for. */
  provenSeq: number | null
}

/** A command, and the kind of event that it may bear out. */
export interface AskedCommand {
  commandId: string
  kind: string
}

export interface CommandStore {
  find(commandId: string): Promise<CommandRow | undefined>
  /** Commands that a page still shows: unfinished ones and failures not yet dismissed. */
  shown(sessionId: string): Promise<CommandRow[]>
  /** The same of several sessions; without an entry where there is none. */
  shownOfMany(sessionIds: readonly string[]): Promise<Map<string, CommandRow[]>>
  /** Pending and sent commands of one agent, oldest first. */
  dueOfMachine(agentId: string): Promise<DueRow[]>
  dueOfSession(sessionId: string): Promise<DueRow[]>
  /** Not sent yet, of any machine. */
  pending(): Promise<CommandRow[]>
  /** Unfinished commands past their time. */
  overdue(now: number): Promise<CommandRow[]>
  /** Accepted ones whose end no event tells, newest first. */
  unsettled(madeBefore: number): Promise<CommandRow[]>
  /** Sessions whose deletion this machine refused, or never heard of. */
  undoneDeletions(agentId: string): Promise<string[]>
  /** Of each that is here, as asked; one that cannot be read is left out. */
  given(asked: readonly AskedCommand[]): Promise<Array<AskedCommand & { command: GivenCommand }>>
  /** The edits of prompts that waited, those of one prompt newest first. Without an entry where there is none. */
  promptEdits(sessionId: string, promptIds: readonly string[]): Promise<Map<string, GivenCommand[]>>
}

/** In a person's transaction. */
export interface CommandWrites {
  insert(row: CommandRow): Promise<void>
  /** Every command in `from`, by one update (REB-2). */
  moveAll(from: CommandState, to: CommandState): Promise<void>
  dismiss(sessionId: string, commandId: string): Promise<boolean>
  cancelOfMachine(agentId: string): Promise<void>
}

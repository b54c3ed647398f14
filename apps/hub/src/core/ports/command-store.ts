/** The store of commands: until they are sent, until they are settled, and as proof of who did what. */
import type { CommandBody, CommandKind, CommandState } from '@roundhouse/backend-types'

/** The author of a command. */
export interface CommandAuthor {
  authorId: string
  authorName: string
  /** The token of the program that sent it; null: the person did. */
  tokenId: string | null
}

/** The progress of a command. */
export interface CommandProgress {
  cmdSeq: number | null
  state: CommandState
  errorCode: string | null
  errorMessage: string | null
  /** The setting that was refused. */
  errorField: string | null
  dismissed: boolean
}

export interface CommandRow extends CommandAuthor, CommandProgress {
  commandId: string
  sessionId: string
  agentId: string
  kind: CommandKind
  /** If `textLength` is set, it is the length of the text, and the body may hold only the beginning (VIEW-9). */
  body: CommandBody
  textLength?: number
  createdAt: number
  expiresAt: number | null
  promptId: string | null
  requestId: string | null
  damaged?: true
}

export interface CommandError {
  code: string
  message: string
  field?: string
}

/** The columns that decide whether a command is due. Its body is read when it is sent. */
export type DueRow = Pick<CommandRow, 'commandId' | 'sessionId' | 'cmdSeq' | 'state' | 'kind'>

/** The columns that the event stream needs. */
export type CommandMark = Pick<CommandRow, 'commandId' | 'sessionId' | 'kind' | 'state' | 'promptId'>

/** A command as the hub stored it. */
export interface GivenCommand extends Pick<CommandAuthor, 'authorId' | 'authorName'> {
  commandId: string
  sessionId: string
  kind: CommandKind
  body: CommandBody
  /** The event of the requested kind that it proves already. */
  provenSeq: number | null
}

/** A command, and the kind of event that it may prove. */
export interface AskedCommand {
  commandId: string
  kind: string
}

export interface CommandStore {
  find(commandId: string): Promise<CommandRow | undefined>
  /** Commands that a page still shows: unfinished ones and failures not yet dismissed. */
  shown(sessionId: string): Promise<CommandRow[]>
  /** The same for several sessions, without entries for sessions that have none. */
  shownOfMany(sessionIds: readonly string[]): Promise<Map<string, CommandRow[]>>
  /** All sessions that have one. */
  sessionsShown(): Promise<string[]>
  /** Pending and sent commands of one agent, oldest first. */
  dueOfMachine(agentId: string): Promise<DueRow[]>
  dueOfSession(sessionId: string): Promise<DueRow[]>
  /** Not sent yet, of any machine. */
  pending(): Promise<CommandRow[]>
  /** Unfinished commands past their time. */
  overdue(now: number): Promise<CommandRow[]>
  /** Accepted commands whose end no event reports, newest first. */
  unsettled(madeBefore: number): Promise<CommandRow[]>
  /** Requests of the programs of this session that the hub answered with an error (TREE-2). */
  refusedRequests(sessionId: string): Promise<string[]>
  /** Sessions whose deletion this machine refused or never received. */
  undoneDeletions(agentId: string): Promise<string[]>
  /** The requested commands that exist, without unreadable ones. */
  given(asked: readonly AskedCommand[]): Promise<Array<AskedCommand & { command: GivenCommand }>>
  /** The edits of queued prompts, those of one prompt newest first. Prompts without edits have no entry. */
  promptEdits(sessionId: string, promptIds: readonly string[]): Promise<Map<string, GivenCommand[]>>
}

/** In a person's transaction. */
export interface CommandWrites {
  insert(row: CommandRow): Promise<void>
  /** Moves every command in `from`, by one update (REB-2). */
  moveAll(from: CommandState, to: CommandState): Promise<void>
  dismiss(sessionId: string, commandId: string): Promise<boolean>
  cancelOfMachine(agentId: string): Promise<void>
}

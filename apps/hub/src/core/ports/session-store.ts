/** The store of sessions: their rows, in lists and alone, and the deletion of their transcripts. */
import type { ContextUsage, OnPermission, SessionSettings, SessionStatus } from '@roundhouse/backend-types'
import type { SessionProjection } from '@roundhouse/delivery'

/** How far the hub has its log, and whether it accepts more. */
export interface StoredStream {
  logId: string | null
  committed: number
  malformed: number
  blocked: boolean
}

/** What its events result in: the projection, and the columns that lists and pages show. */
export interface ProjectedColumns {
  projection: SessionProjection
  settings: Partial<SessionSettings>
  backend: string
  workDir: string
  status: SessionStatus
  turnFailed: boolean
  lastLine: string
  cost: number
  contextUsage: ContextUsage | null
  updatedAt: number
}

export interface SessionRow extends StoredStream, ProjectedColumns {
  sessionId: string
  agentId: string
  createdAt: number
  createdBy: string | null
  title: string
  archived: boolean
  /** Null: it is no run (RUN-1). */
  onPermission: OnPermission | null
  /** The stored row cannot be read; placeholders stand for the missing values. */
  damaged?: true
}
export type NewSession = Omit<SessionRow, 'damaged'>
export type SessionHead = Pick<SessionRow, 'agentId' | 'committed'>

/** The columns of a session's row that a batch of events may change. */
export type StreamChange = StoredStream & ProjectedColumns & Pick<SessionRow, 'title'>

export interface SessionsFilter {
  limit: number
  /** The end of the previous page. */
  cursor?: string | undefined
  agentId?: string | undefined
  /** Only sessions of these machines; null: all. */
  agentIds?: ReadonlySet<string> | null | undefined
  backend?: string | undefined
  status?: string | undefined
  /** Sessions that are shown with another status than that of their row (SES-6): the status by which they are found. */
  shownAs?: ReadonlyMap<string, string> | undefined
  /** Every session of these machines is shown as ended, whatever its row says. */
  endedOn?: ReadonlySet<string> | undefined
  text?: string | undefined
  archived?: boolean | undefined
  /** True: only runs; false: none of them. */
  runs?: boolean | undefined
}

export interface SessionsPage {
  rows: SessionRow[]
  /** The cursor of the next page; null: this is the last one. */
  next: string | null
}

/** `damaged`: the row cannot be read, or its last event is not the one that it names. */
export type KeptSession =
  | { state: 'here'; row: StoredStream & Pick<SessionRow, 'agentId'> }
  | { state: 'deleted' | 'unknown' }
  | { state: 'damaged'; cause: unknown }

export interface SessionStore {
  find(sessionId: string): Promise<SessionRow | undefined>
  /** By id, without missing and unreadable ones. */
  heads(sessionIds: readonly string[]): Promise<Map<string, SessionHead>>
  /** The stored state of each, to be compared with its machine's report. Has an entry for each id. */
  kept(sessionIds: readonly string[]): Promise<Map<string, KeptSession>>
  isDeleted(sessionId: string): Promise<boolean>
  /** Whether the last event is the one up to which the row claims to have all. If not, the row counts as damaged from then on. */
  isHeadWhole(sessionId: string): Promise<boolean>
  /** In no order, without entirely unreadable ones. */
  findMany(sessionIds: readonly string[]): Promise<SessionRow[]>
  /** Newest first. For lists: `projection` and `settings` are left empty. An invalid cursor is `INVALID_ARGUMENT`. */
  list(filter: SessionsFilter): Promise<SessionsPage>
  /** As in lists, without archived ones, machine after machine. */
  latestOfMachines(agentIds: readonly string[], perMachine: number): Promise<SessionRow[]>
  /** As in lists, in no order, without missing ones. */
  listed(sessionIds: readonly string[]): Promise<SessionRow[]>
  idsOfMachine(agentId: string): Promise<string[]>
  /** Of runs whose row has not ended, in no order. */
  openRuns(): Promise<string[]>
  /** For one machine, or for all machines that have any. */
  activeByMachine(agentId?: string): Promise<Map<string, number>>
}

/** In a person's transaction. */
export interface SessionWrites {
  find(sessionId: string): Promise<SessionRow | null>
  insert(row: NewSession): Promise<SessionRow>
  organise(sessionId: string, change: { title?: string | undefined; archived?: boolean | undefined }): Promise<void>
  /** Increments `cmdSeq` of the session and returns it. */
  takeCmdSeq(sessionId: string): Promise<number>
  delete(tombstone: { sessionId: string; agentId: string; deletedAt: number; deletedBy: string }): Promise<void>
}

/** Deletes a transcript of any length, with its images, in short steps (SES-3). */
export interface Eraser {
  /** Sessions with a tombstone whose data is not erased yet. */
  undone(): Promise<string[]>
  /** Does one step. False if nothing is left. */
  eraseSome(sessionId: string): Promise<boolean>
}

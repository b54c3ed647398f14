/** What the core needs of a store to keep sessions: their rows, in lists and alone, and the deletion of their transcripts. */
import type { ContextUsage, SessionSettings, SessionStatus } from '@roundhouse/backend-types'
import type { SessionProjection } from '@roundhouse/delivery'

/** How far the hub has its log, and whether it takes more of it. */
export interface StoredStream {
  logId: string | null
  committed: number
  malformed: number
  blocked: boolean
}

/** What its events make of it: the projection, and the columns that lists and pages show. */
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
  /** It cannot be read as it was stored; what stands here is made up for what is missing. */
  damaged?: true
}
export type NewSession = Omit<SessionRow, 'damaged'>
export type SessionHead = Pick<SessionRow, 'agentId' | 'committed'>

/** What a batch of events may change on a session's row. */
export type StreamChange = StoredStream & ProjectedColumns & Pick<SessionRow, 'title'>

export interface SessionsFilter {
  limit: number
  /** Where a page before this one ended. */
  cursor?: string | undefined
  agentId?: string | undefined
  /** Of these machines alone; null: of all. */
  agentIds?: ReadonlySet<string> | null | undefined
  backend?: string | undefined
  status?: string | undefined
  /** Of these the row says `idle` although something runs beside their turns (SES-6): they count as `running`. */
  busyBeside?: readonly string[] | undefined
  text?: string | undefined
  archived?: boolean | undefined
}

export interface SessionsPage {
  rows: SessionRow[]
  /** The cursor of the next page; null: this is the last. */
  next: string | null
}

/** `damaged`: it cannot be read, or its last event is not the one that its row tells of. */
export type KeptSession =
  | { state: 'here'; row: StoredStream & Pick<SessionRow, 'agentId'> }
  | { state: 'deleted' | 'unknown' }
  | { state: 'damaged'; cause: unknown }

export interface SessionStore {
  find(sessionId: string): Promise<SessionRow | undefined>
  /** By id; without an entry where there is none, or none that can be read. */
  heads(sessionIds: readonly string[]): Promise<Map<string, SessionHead>>
  /** What is here of each, to be compared with what its machine reports. By id, with an entry for each. */
  kept(sessionIds: readonly string[]): Promise<Map<string, KeptSession>>
  isDeleted(sessionId: string): Promise<boolean>
  /** The last event is the one up to which the row says that all is there; if not, the row is given as damaged from then on. */
  isHeadWhole(sessionId: string): Promise<boolean>
  /** In no order. One of which nothing can be read is left out. */
  findMany(sessionIds: readonly string[]): Promise<SessionRow[]>
  /** Newest first. For lists: `projection` and `settings` are left empty. A cursor that no page had is `INVALID_ARGUMENT`. */
  list(filter: SessionsFilter): Promise<SessionsPage>
  /** As in lists, without those in the archive, machine after machine. */
  latestOfMachines(agentIds: readonly string[], perMachine: number): Promise<SessionRow[]>
  /** As in lists, in no order. One that is gone is left out. */
  listed(sessionIds: readonly string[]): Promise<SessionRow[]>
  idsOfMachine(agentId: string): Promise<string[]>
  /** Of one machine, or of all that have any. */
  activeByMachine(agentId?: string): Promise<Map<string, number>>
}

/** In a person's transaction. */
export interface SessionWrites {
  find(sessionId: string): Promise<SessionRow | null>
  insert(row: NewSession): Promise<SessionRow>
  organise(sessionId: string, change: { title?: string | undefined; archived?: boolean | undefined }): Promise<void>
  /** The next `cmdSeq` of the session, counted up. */
  takeCmdSeq(sessionId: string): Promise<number>
  delete(tombstone: { sessionId: string; agentId: string; deletedAt: number; deletedBy: string }): Promise<void>
}

/** Deleting a transcript of any length, with its images, in short steps (SES-3). */
export interface Eraser {
  /** What tombstones still wait for. */
  undone(): Promise<string[]>
  /** One step of it. False when nothing is left. */
  eraseSome(sessionId: string): Promise<boolean>
}

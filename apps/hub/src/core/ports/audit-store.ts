/** What the core needs of a store to keep, read and check the audit log. */
import type { AuditItem } from '@roundhouse/backend-types'

export interface AuditFilter {
  limit: number
  /** Rows from here up to `before`, without it, are looked at. */
  from: number
  before: number
  actorId: string | undefined
  action: string | undefined
}

export interface ReturnedHead {
  agentId: string
  hubEpoch: string
  id: number
  hash: string
  /** When the hub signed it. */
  at: number
}

/** A returned head, and the row of that number in the log as it is now. */
export interface DisownedHead extends ReturnedHead {
  foundAt: number | null
}

/** A row `hub.restored`, and the epoch that ended with it. */
export interface Restore {
  id: number
  at: number
  before: string | null
}

/** A decision that a machine reports as applied: the event that reports it. */
export interface CarriedOut {
  requestId: string
  commandId: string
  sessionId: string
  seq: number
}

/** A row of the chain. Of `hub.restored`, the epoch that ended with it; null where the row does not say. */
export interface ChainRow extends AuditItem {
  epochBefore?: string | null
}

export interface AuditStore {
  /** 0: there is none. */
  newestId(): Promise<number>
  /** Newest first. */
  page(filter: AuditFilter): Promise<AuditItem[]>
  /** Upwards, in one read with the id that the table gave out last and the last row that may have no hash. */
  after(id: number, limit: number): Promise<{ rows: ChainRow[]; lastId: number; start: number }>
  /** Whether a row has this hash. */
  hasHash(hash: string): Promise<boolean>
  /** Heads that machines returned and that are not in the log as it is now. */
  disownedHeads(): Promise<DisownedHead[]>
  /** Reads the whole log: for a program of its own. */
  restores(): Promise<Restore[]>
  /** What is needed to judge a head that somebody brings. */
  hub(): Promise<{ hubId: string; hubEpoch: string; publicKey: string }>
  rowAt(id: number): Promise<{ hash: string; at: number } | undefined>
  /**
   * Upwards from a place in the register of requests: the place of the last one that was read, null behind the end, and one
   * with a decision that no row tells of (same person, same decision).
   */
  requestsAfter(place: number, limit: number): Promise<{ last: number | null; unrecorded: string | undefined }>
  /** The place of the newest request; 0: there is none. */
  newestRequest(): Promise<number>
  /** Of these, what a command of this hub bears out and no row tells of (same person, same decision). */
  unrecorded(carriedOut: readonly CarriedOut[]): Promise<CarriedOut[]>
}

/** What the audit log keeps: who did what to which object, and how it went. Never a secret, never an event's body. */
export interface AuditEntry {
  /** A user id, `agent:<id>`, or `hub`. */
  actorId: string
  actorName: string
  /** Dotted, as in `session.create`, `login.failed`. */
  action: string
  object?: string | undefined
  outcome: 'ok' | 'refused'
  /** The client's, where it is known. */
  address?: string | undefined
  /** Error code or short facts. */
  detail?: Record<string, string | number | boolean> | undefined
}

/** In a person's transaction. */
export interface AuditWrites {
  append(entry: AuditEntry, at: number): Promise<void>
  /** The newest row of the log, to be signed; counted. Null before there is one with a hash. */
  nextHead(): Promise<{ id: number; hash: string; count: number } | null>
}

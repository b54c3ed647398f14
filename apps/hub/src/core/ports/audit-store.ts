/** The store of the audit log: appends, reads and checks. */
import type { AuditItem } from '@roundhouse/backend-types'

export interface AuditFilter {
  limit: number
  /** Rows from here up to `before`, exclusive, are examined. */
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

/** A returned head, and the row with its number in the present log. */
export interface DisownedHead extends ReturnedHead {
  foundAt: number | null
}

/** A row `hub.restored`, and the epoch that it ended. */
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
  /** In ascending order, in one read with the last assigned id and the last row that may have no hash. */
  after(id: number, limit: number): Promise<{ rows: ChainRow[]; lastId: number; start: number }>
  /** Whether a row has this hash. */
  hasHash(hash: string): Promise<boolean>
  /** Heads that machines returned and that the present log does not have. */
  disownedHeads(): Promise<DisownedHead[]>
  /** Reads the whole log; for a separate program. */
  restores(): Promise<Restore[]>
  /** The data to judge a head that a person brings. */
  hub(): Promise<{ hubId: string; hubEpoch: string; publicKey: string }>
  rowAt(id: number): Promise<{ hash: string; at: number } | undefined>
  /**
   * In ascending order from a place in the register of requests: the last place that was read (null after the end), and
   * one decision without a row (same person, same decision).
   */
  requestsAfter(place: number, limit: number): Promise<{ last: number | null; unrecorded: string | undefined }>
  /** The place of the newest request; 0: there is none. */
  newestRequest(): Promise<number>
  /** Those that a command of this hub proves and no row records (same person, same decision). */
  unrecorded(carriedOut: readonly CarriedOut[]): Promise<CarriedOut[]>
}

/** An entry of the audit log: who did what to which object, and the result. Never a secret, never an event's body. */
export interface AuditEntry {
  /** A user id, `agent:<id>`, or `hub`. */
  actorId: string
  actorName: string
  /** Dotted, as in `session.create`, `login.failed`. */
  action: string
  object?: string | undefined
  outcome: 'ok' | 'refused'
  /** The client's address, if known. */
  address?: string | undefined
  /** Error code or short facts. */
  detail?: Record<string, string | number | boolean> | undefined
}

/** In a person's transaction. */
export interface AuditWrites {
  append(entry: AuditEntry, at: number): Promise<void>
  /** The newest row of the log, for signing; each call counts. Null before the first row with a hash. */
  nextHead(): Promise<{ id: number; hash: string; count: number } | null>
}

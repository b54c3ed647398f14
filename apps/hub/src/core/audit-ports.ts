/** What reading and checking the audit log need of a store. */
import type { AuditItem } from '@roundhouse/backend-types'

export interface AuditFilter {
  limit: number
  before: number | undefined
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

export interface AuditReads {
  /** Newest first. */
  page(filter: AuditFilter): AuditItem[]
  /** Upwards, in one read with the id that the table gave out last and the last row that may have no hash. */
  after(id: number, limit: number): { rows: AuditItem[]; lastId: number; start: number }
  /** Whether a row has this hash. */
  hasHash(hash: string): boolean
  /** Heads that machines returned and that are not in the log as it is now. */
  disownedHeads(): DisownedHead[]
  restores(): Restore[]
  /** What is needed to judge a head that somebody brings. */
  hub(): { hubId: string; hubEpoch: string; publicKey: string }
  rowAt(id: number): { hash: string; at: number } | undefined
  /** A request with a decision that no row tells of: same person, same answer. */
  decisionWithoutRow(): string | undefined
}

/** What reading and checking the audit log need of a store. */
import type { AuditItem } from '@roundhouse/backend-types'

export interface AuditFilter {
  limit: number
  before: number | undefined
  actorId: string | undefined
  action: string | undefined
}

export interface AuditReads {
  /** Newest first. */
  page(filter: AuditFilter): AuditItem[]
  /** Upwards, in one read with the id that the table gave out last and the last row that may have no hash. */
  after(id: number, limit: number): { rows: AuditItem[]; lastId: number; start: number }
  /** Whether a row has this hash. */
  hasHash(hash: string): boolean
  /** A request with a decision that no row tells of: same person, same answer. */
  decisionWithoutRow(): string | undefined
}

/**
 * The hash chain of the audit log. Each row's hash is SHA-256 of `<hash of the row before>|<canonical JSON of its
 * facts>`, so a changed, removed, inserted or moved row breaks every hash after it. Pure.
 */
import type { AuditItem } from '@roundhouse/backend-types'
import { sha256 } from '../common/digests'
import type { ChainRow, Restore } from '../ports/audit-store'

export type AuditFacts = Omit<AuditItem, 'hash'>

/** The hash before the first row. */
export const CHAIN_START = '0'.repeat(64)

export const hashAfter = (previous: string, facts: AuditFacts): string => sha256(`${previous}|${canonical(facts)}`)

/** Names in alphabetical order, without spaces; every fact is named, and absent facts are `null`. */
export function canonical(facts: AuditFacts): string {
  const { action, actorId, actorName, address, at, detail, id, object, outcome } = facts
  return JSON.stringify({ action, actorId, actorName, address, at, detail, id, object, outcome })
}

/** The hash that a new row follows. Earlier rows may be older than the chain. */
export function lastHash(rows: Iterable<AuditItem>): string {
  let hash = CHAIN_START
  for (const { hash: stored, ...facts } of rows) hash = stored || hashAfter(hash, facts)
  return hash
}

/** Walks the rows in order and stops at the first invalid one. */
export class ChainWalk {
  count = 0
  head = { id: 0, hash: CHAIN_START }
  /** The points at which the data was restored to an older state. */
  readonly restores: Restore[] = []

  /** Why this row does not follow the one before, or null. `start`: the last row that may have no hash. */
  step({ hash, epochBefore = null, ...facts }: ChainRow, start: number): string | null {
    const expected = hashAfter(this.head.hash, facts)
    if (hash !== expected && (hash !== '' || facts.id > start))
      return 'it is not what was written, or a row before it is missing'
    this.count += 1
    this.head = { id: facts.id, hash: expected }
    if (facts.action === 'hub.restored') this.restores.push({ id: facts.id, at: facts.at, before: epochBefore })
    return null
  }
}

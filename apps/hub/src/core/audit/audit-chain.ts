/**
 * The chain over the audit log. Each row's hash is SHA-256 of `<hash of the row before>|<canonical JSON of its facts>`, so
 * a row that was changed, removed, put in or moved breaks every hash from there on. Pure.
 */
import type { AuditItem } from '@roundhouse/backend-types'
import { sha256 } from '../common/digests'
import type { Restore } from '../ports/audit-store'

export type AuditFacts = Omit<AuditItem, 'hash'>

/** What stands before the first row. */
export const CHAIN_START = '0'.repeat(64)

export const hashAfter = (previous: string, facts: AuditFacts): string => sha256(`${previous}|${canonical(facts)}`)

/** Names in the order of the alphabet, no space, every fact named, `null` for what is absent. */
export function canonical(facts: AuditFacts): string {
  const { action, actorId, actorName, address, at, detail, id, object, outcome } = facts
  return JSON.stringify({ action, actorId, actorName, address, at, detail, id, object, outcome })
}

/** The hash that a new row follows, where the rows so far may be older than the chain. */
export function lastHash(rows: Iterable<AuditItem>): string {
  let hash = CHAIN_START
  for (const { hash: stored, ...facts } of rows) hash = stored || hashAfter(hash, facts)
  return hash
}

/** Walks the rows in their order and stops at the first that does not hold. */
export class ChainWalk {
  count = 0
  head = { id: 0, hash: CHAIN_START }
  /** Where the data was put back to an older state. */
  readonly restores: Restore[] = []

  /** Why this row does not follow the one before, or null. `start`: the last row that may have no hash of its own. */
  step({ hash, ...facts }: AuditItem, start: number): string | null {
    const expected = hashAfter(this.head.hash, facts)
    if (hash !== expected && (hash !== '' || facts.id > start))
      return 'it is not what was written, or a row before it is missing'
    this.count += 1
    this.head = { id: facts.id, hash: expected }
    if (facts.action === 'hub.restored') this.restores.push(restoreOf(facts))
    return null
  }
}

function restoreOf({ id, at, detail }: AuditFacts): Restore {
  const { before = null } = JSON.parse(detail ?? '{}') as { before?: string }
  return { id, at, before }
}

/** The audit log as owners and admins read it. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type AuditItem,
  type AuditPage,
  type AuditQuery,
  type AuditState,
  CodedError,
  signedText,
} from '@roundhouse/backend-types'
import { signText } from '@roundhouse/keys'
import { type Actor, requireCan } from '../access/access'
import type { OwnHub } from '../common/hub-identity'
import type { AuditFilter, AuditStore } from '../ports/audit-store'
import type { AuditWatch } from './audit-watch'

interface AuditLogDeps {
  auditWatch: AuditWatch
  hub: OwnHub
}

export interface AuditApi {
  /** Checks what is new since the last check, and reports what is wrong. */
  check(): Promise<AuditState>
  /** Newest first. */
  page(actor: Actor, query: AuditQuery): Promise<AuditPage>
}

const ROWS_AT_ONCE = 5_000

export function createAuditLog(deps: AuditLogDeps, reads: AuditStore): AuditApi {
  const check = () => deps.auditWatch.check()
  /** Turning pages, or exporting all of them, needs one check. */
  const state = async (query: AuditQuery) => (query.cursor === undefined ? null : deps.auditWatch.last) ?? check()
  return { check, page: (actor, query) => page(deps, reads, actor, query, state) }
}

async function page(
  { hub }: AuditLogDeps,
  reads: AuditStore,
  actor: Actor,
  query: AuditQuery,
  stateFor: (query: AuditQuery) => Promise<AuditState>,
): Promise<AuditPage> {
  requireCan(actor, 'audit.read')
  const { limit, cursor, actorId, action } = query
  const rows = await newestRows(reads, { limit: limit + 1, before: readCursor(cursor), actorId, action })
  const items = rows.slice(0, limit)
  const state = await stateFor(query)
  return {
    items,
    next: rows.length > limit ? String(items.at(-1)?.id) : null,
    state,
    signature: signText(hub.privateKey, signedText.auditHead(hub.hubId, state.head)),
  }
}

/** Matches of a filter may be far apart. The hub serves other requests between two batches. */
async function newestRows(
  reads: AuditStore,
  { limit, before, ...filter }: Omit<AuditFilter, 'from' | 'before'> & { before: number | undefined },
): Promise<AuditItem[]> {
  const rows: AuditItem[] = []
  let end = before ?? (await reads.newestId()) + 1
  while (end > 1 && rows.length < limit) {
    const from = Math.max(1, end - ROWS_AT_ONCE)
    rows.push(...(await reads.page({ ...filter, limit: limit - rows.length, before: end, from })))
    end = from
    if (rows.length < limit) await nextTurn()
  }
  return rows
}

function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  if (!/^\d{1,10}$/.test(cursor)) throw new CodedError('INVALID_ARGUMENT', 'cursor: not one of ours')
  return Number(cursor)
}

/** The audit log as owners and admins read it. */
import { type AuditPage, type AuditQuery, type AuditState, CodedError, signedText } from '@roundhouse/backend-types'
import { signText } from '@roundhouse/keys'
import { type Actor, requireCan } from './access'
import type { AuditReads } from './audit-ports'
import type { Context } from './context'
import type { AuditApi } from './facade'

export function createAuditLog(context: Context, reads: AuditReads): AuditApi {
  const check = () => context.auditWatch.check()
  /** Whoever turns pages, or exports them all, asks for one check. */
  const state = async (query: AuditQuery) => (query.cursor === undefined ? null : context.auditWatch.last) ?? check()
  return { check, page: (actor, query) => page(context, reads, actor, query, state) }
}

async function page(
  { hub }: Context,
  reads: AuditReads,
  actor: Actor,
  query: AuditQuery,
  stateFor: (query: AuditQuery) => Promise<AuditState>,
): Promise<AuditPage> {
  requireCan(actor, 'audit.read')
  const { limit, cursor, actorId, action } = query
  const rows = reads.page({ limit: limit + 1, before: readCursor(cursor), actorId, action })
  const items = rows.slice(0, limit)
  const state = await stateFor(query)
  return {
    items,
    next: rows.length > limit ? String(items.at(-1)?.id) : null,
    state,
    signature: signText(hub.privateKey, signedText.auditHead(hub.hubId, state.head)),
  }
}

function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  if (!/^\d{1,10}$/.test(cursor)) throw new CodedError('INVALID_ARGUMENT', 'cursor: not one of ours')
  return Number(cursor)
}

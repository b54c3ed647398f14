/** The list of sessions, newest first, in pages whose cursor is a position in the order. */

import { CodedError, type SessionsList, type SessionsQuery } from '@roundhouse/backend-types'
import { type Actor, requireCan } from '../access/access'
import type { Reads } from '../ports/stores'
import type { Views } from '../views/views'

interface SessionListDeps {
  reads: Pick<Reads, 'inOneRead' | 'sessions'>
  views: Views
}

export async function listSessions(
  { reads: store, views }: SessionListDeps,
  actor: Actor,
  query: SessionsQuery,
): Promise<SessionsList> {
  requireCan(actor, 'session.read')
  const { limit, agentId, backend, status, text, archived } = query
  const rev = views.nextRev()
  return store.inOneRead(async (reads) => {
    const rows = await reads.sessions.list({
      limit: limit + 1,
      before: query.cursor === undefined ? undefined : readCursor(query.cursor),
      agentId,
      agentIds: actor.agents,
      backend,
      status,
      busyBeside: status === 'idle' || status === 'running' ? views.busyBeside() : undefined,
      text,
      archived: archived === undefined ? undefined : archived === 'true',
    })
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const next = rows.length > limit && last ? `${last.updatedAt}.${last.pk}` : null
    return { items: await views.summaries(reads, page, rev), next }
  })
}

function readCursor(cursor: string): { updatedAt: number; pk: number } {
  const [, updatedAt, pk] = /^(\d{1,16})\.(\d{1,16})$/.exec(cursor) ?? []
  if (updatedAt === undefined || pk === undefined) throw new CodedError('INVALID_ARGUMENT', 'cursor: not one of ours')
  return { updatedAt: Number(updatedAt), pk: Number(pk) }
}

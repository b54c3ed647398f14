/** The list of sessions, newest first, in pages whose cursor is a position in the order. */

import type { SessionsList, SessionsQuery } from '@roundhouse/backend-types'
import { type Actor, requireCan } from '../access/access'
import type { Reads } from '../ports/stores'
import type { Views } from '../views/views'

interface SessionListDeps {
  reads: Pick<Reads, 'inOneRead'>
  views: Views
}

export async function listSessions(
  { reads: store, views }: SessionListDeps,
  actor: Actor,
  query: Partial<SessionsQuery> & Pick<SessionsQuery, 'limit'>,
): Promise<SessionsList> {
  requireCan(actor, 'session.read')
  const { limit, agentId, backend, status, text, archived, runs } = query
  const rev = views.nextRev()
  return store.inOneRead(async (reads) => {
    const { rows, next } = await reads.sessions.list({
      limit,
      cursor: query.cursor,
      agentId,
      agentIds: actor.agents,
      backend,
      status,
      shownAs: status === undefined ? undefined : await views.shownOtherwise(reads, rev),
      endedOn: status === undefined ? undefined : new Set(await reads.machines.idsInState('revoked')),
      text,
      archived: flagOf(archived),
      runs: flagOf(runs),
    })
    return { items: await views.summaries(reads, rows, rev), next }
  })
}

const flagOf = (value: 'true' | 'false' | undefined) => (value === undefined ? undefined : value === 'true')

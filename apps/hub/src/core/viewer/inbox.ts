/** VIEW-7: what waits for a person, what runs, what ran lately. A read of one moment, and the steps that follow it. */

import type { Inbox, InboxChange, SessionSummary } from '@roundhouse/backend-types'
import { type Actor, reaches, requireCan } from '../access/access'
import type { Rev } from '../common/revs'
import type { SessionReads, SessionRow } from '../ports/ports'
import { composeRequest, isSound } from '../views/view'
import type { Views } from '../views/views'

interface InboxDeps {
  inboxRev: Rev
  reads: SessionReads
  views: Views
}

export interface InboxApi {
  get(actor: Actor): Promise<Inbox>
}

/** Whatever one machine asks or dates, the questions of the others are on the page. */
const REQUESTS = { perMachine: 50, inAll: 500 }
const LOOKED_AT = 200
const LOOKED_AT_OF_MACHINE = 20
const RECENT = 20

export function createInbox(deps: InboxDeps): InboxApi {
  const { reads, views, inboxRev } = deps
  return {
    get: async (actor) => {
      requireCan(actor, 'session.read')
      return reads.inOneRead(() => {
        const summaries = views.summaries(latestSessions(reads, actor))
        const waiting = reads.pendingByMachine(actor.agents)
        const names = new Map(reads.machines(waiting.keys()).map(({ agentId, name }) => [agentId, name]))
        const rows = reads.pendingRequests(REQUESTS, actor.agents)
        const requests = rows.flatMap((row) => {
          const session = reads.session(row.sessionId)
          if (!session) return []
          const { title, backend } = session
          return [{ ...composeRequest(row), title, backend, agentName: names.get(session.agentId) ?? '' }]
        })
        return {
          rev: inboxRev.current,
          requests,
          cut: cutOf(rows, waiting, names),
          running: summaries.filter(isActive),
          recent: summaries.filter((summary) => !isActive(summary)).slice(0, RECENT),
        }
      })
    },
  }
}

/** The latest of all, and of each machine that is at work and that others have crowded out. */
function latestSessions(reads: SessionReads, actor: Actor): SessionRow[] {
  const latest = reads.sessions({ limit: LOOKED_AT, archived: false, agentIds: actor.agents })
  if (latest.length < LOOKED_AT) return latest
  const seen = new Set(latest.map(({ agentId }) => agentId))
  const crowdedOut = [...reads.activeSessionCounts().keys()].filter((id) => !seen.has(id) && reaches(actor, id))
  const others = crowdedOut.flatMap((agentId) =>
    reads.sessions({ limit: LOOKED_AT_OF_MACHINE, archived: false, agentId }),
  )
  return [...latest, ...others]
}

/** Questions that are not in the list, by machine. */
function cutOf(
  listed: ReadonlyArray<{ agentId: string }>,
  waiting: ReadonlyMap<string, number>,
  names: ReadonlyMap<string, string>,
): Inbox['cut'] {
  return [...waiting].flatMap(([agentId, all]) => {
    const count = all - listed.filter((request) => request.agentId === agentId).length
    return count > 0 ? [{ agentId, agentName: names.get(agentId) ?? '', count }] : []
  })
}

/** One step as this person may see it: of what is not theirs nothing is said, not even that it left. */
export function inboxChange(
  deps: Pick<InboxDeps, 'reads' | 'views'>,
  actor: Actor,
  step: { rev: number; sessionIds: string[] },
): InboxChange {
  const { reads, views } = deps
  return reads.inOneRead(() => {
    const found = step.sessionIds.map((sessionId) => reads.session(sessionId)).filter((row) => row !== undefined)
    const rows = found.filter((row) => reaches(actor, row.agentId))
    const hidden = new Set(found.filter((row) => !reaches(actor, row.agentId)).map((row) => row.sessionId))
    const kept: SessionRow[] = rows.filter((row) => !row.archived)
    const left = new Set(kept.map((row) => row.sessionId))
    return {
      rev: step.rev,
      sessions: views.summaries(kept),
      removed: step.sessionIds.filter((sessionId) => !left.has(sessionId) && !hidden.has(sessionId)),
      requests: rows.flatMap((row) => reads.requests(row.pk).filter(isSound).map(composeRequest)),
    }
  })
}

function isActive({ status }: SessionSummary): boolean {
  return ['starting', 'running', 'needs_you', 'paused', 'waiting_for_agent'].includes(status.status)
}

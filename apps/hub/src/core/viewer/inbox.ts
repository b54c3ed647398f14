/** VIEW-7: what waits for a person, what runs and what ran lately, as of one moment. */
import type { Inbox, SessionSummary } from '@roundhouse/backend-types'
import { type Actor, reaches, requireCan } from '../access/access'
import { asksSeen } from '../bus/peers/asks-seen'
import type { PeerBook } from '../bus/peers/peer-book'
import type { Rev } from '../common/revs'
import type { BusStore } from '../ports/bus-store'
import type { SessionRow } from '../ports/session-store'
import type { Reads } from '../ports/stores'
import { composeRequest } from '../views/view'
import type { Views } from '../views/views'

interface InboxDeps {
  book: PeerBook
  bus: Pick<BusStore, 'asks'>
  inboxRev: Rev
  reads: Pick<Reads, 'inOneRead' | 'machines' | 'requests' | 'sessions'>
  views: Views
}

export interface InboxApi {
  get(actor: Actor): Promise<Inbox>
}

/** No machine's requests or dates can push other machines' requests off the page or make it too large (BAD-4). */
const REQUESTS = { perMachine: 50, inAll: 500, bytesPerMachine: 4_194_304 }
const LOOKED_AT = 200
const LOOKED_AT_OF_MACHINE = 20
const RECENT = 20
/** How many asks of programs an inbox shows. */
const ASKS = 200

export function createInbox(deps: InboxDeps): InboxApi {
  const { views, inboxRev } = deps
  return {
    get: async (actor) => {
      requireCan(actor, 'session.read')
      // Both are taken before the read: a change meanwhile has a later number and is fetched again.
      const [rev, viewRev] = [inboxRev.current, views.nextRev()]
      const asks = await asksSeen(deps, actor, ASKS)
      return deps.reads.inOneRead(async (reads) => {
        const summaries = await views.summaries(reads, await latestSessions(reads, actor), viewRev)
        const waiting = await reads.requests.pendingByMachine(actor.agents)
        const names = new Map(
          (await reads.machines.findMany(waiting.keys())).map(({ agentId, name }) => [agentId, name]),
        )
        const rows = await reads.requests.pending(REQUESTS, actor.agents)
        const askers = await reads.sessions.listed([...new Set(rows.map(({ sessionId }) => sessionId))])
        const sessions = new Map(askers.map((session) => [session.sessionId, session]))
        const requests = rows.flatMap((row) => {
          const session = sessions.get(row.sessionId)
          if (!session) return []
          const { title, backend } = session
          return [{ ...composeRequest(row), title, backend, agentName: names.get(session.agentId) ?? '' }]
        })
        return {
          rev,
          requests,
          cut: cutOf(rows, waiting, names),
          asks,
          running: summaries.filter(isActive),
          recent: summaries.filter((summary) => !isActive(summary)).slice(0, RECENT),
        }
      })
    },
  }
}

/** The newest of all, and those of each working machine that others pushed out. */
async function latestSessions(reads: Pick<Reads, 'sessions'>, actor: Actor): Promise<SessionRow[]> {
  const { rows: latest } = await reads.sessions.list({ limit: LOOKED_AT, archived: false, agentIds: actor.agents })
  if (latest.length < LOOKED_AT) return latest
  const seen = new Set(latest.map(({ agentId }) => agentId))
  const crowdedOut = [...(await reads.sessions.activeByMachine()).keys()].filter(
    (id) => !seen.has(id) && reaches(actor, id),
  )
  return [...latest, ...(await reads.sessions.latestOfMachines(crowdedOut, LOOKED_AT_OF_MACHINE))]
}

/** Requests that are not in the list, by machine. */
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

function isActive({ status }: SessionSummary): boolean {
  return ['starting', 'running', 'needs_you', 'paused', 'waiting_for_agent'].includes(status.status)
}

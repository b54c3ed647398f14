/** The viewer gateway's reads (VIEW-1, VIEW-5, LOG-5). */

import { CodedError } from '@roundhouse/backend-types'
import { type Actor, reaches } from '../access/access'
import { isAudience } from '../bus/reading/bus-sight'
import { blockOf } from '../common/answers'
import type { OwnHub } from '../common/hub-identity'
import type { Rev } from '../common/revs'
import { withAuthors } from '../ingest/attribution'
import type { Presence } from '../machines/presence'
import type { SessionRow } from '../ports/session-store'
import type { Reads } from '../ports/stores'
import { requireSessionFor } from '../sessions/session-pages'
import type { SessionMemory } from '../views/session-memory'
import type { Views } from '../views/views'
import type { EventsWanted, ViewerReads, Watched } from './viewer-reads'

interface ViewerServiceDeps {
  hub: OwnHub
  inboxRev: Rev
  memory: SessionMemory
  presence: Presence
  reads: Pick<Reads, 'commands' | 'inOneRead' | 'requests' | 'sessions'>
  views: Views
}

export const TOO_FAR = { maxEvents: 5_000, maxBytes: 5 * 1_048_576 }

export function createViewerReads(deps: ViewerServiceDeps): ViewerReads {
  const { hub, reads, views, memory, presence, inboxRev } = deps
  return {
    hubEpoch: () => hub.hubEpoch,
    inboxRev: () => inboxRev.current,
    seenBy: async ({ sessionIds, of }) => {
      if (sessionIds === null) return () => true
      const heads = await reads.sessions.heads(sessionIds)
      const isSeen = (actor: Actor, sessionId: string) => {
        const head = heads.get(sessionId)
        return head === undefined || reaches(actor, head.agentId) // deleted: nobody knows any more who owned it
      }
      return (actor) =>
        actor.agents === null ||
        of.some((peer) => isAudience(actor, peer)) ||
        sessionIds.some((sessionId) => isSeen(actor, sessionId))
    },
    requireReader: (actor, sessionId) => requireSessionFor(deps, actor, 'session.read', sessionId),
    heads: (sessionIds) => reads.sessions.heads(sessionIds),
    watched: (sessionId, wanted) => {
      const rev = views.nextRev()
      return reads.inOneRead(async (inside) => {
        const row = await inside.sessions.find(sessionId)
        return row && watched(views, inside, row, wanted, rev)
      })
    },
    view: (sessionId) => views.view(sessionId),
    withAuthors: (sessionId, events) => withAuthors(reads, sessionId, events),
    openBlocks: (sessionId) => views.openFrames(sessionId),
    block: async (sessionId, blockId, from) => {
      const block = memory.block(sessionId, blockId)
      if (block && block.from <= from) return { text: block.text.slice(from - block.from), from, length: block.length }
      const row = await reads.sessions.find(sessionId)
      if (!row) throw new CodedError('SESSION_NOT_FOUND')
      return blockOf(await presence.ask(row.agentId, { kind: 'block', sessionId, blockId, from }, 5_000))
    },
  }
}

async function watched(
  views: Views,
  reads: Reads,
  row: SessionRow,
  { after, maxEvents, maxBytes }: EventsWanted,
  rev: number,
): Promise<Watched> {
  const { sessionId, committed: head } = row
  const nothing = { head, tooFar: true, events: [], view: undefined }
  if (after > head) return nothing
  const missed = after < head ? await reads.events.measureAfter(sessionId, after, TOO_FAR) : { events: 0, bytes: 0 }
  if (missed.events > TOO_FAR.maxEvents || missed.bytes > TOO_FAR.maxBytes) return nothing
  const view = await views.viewOf(reads, row, rev)
  const stored = maxBytes > 0 ? await reads.events.after(sessionId, after, { maxEvents, maxBytes }) : []
  return { head, tooFar: false, events: await withAuthors(reads, sessionId, stored), view }
}

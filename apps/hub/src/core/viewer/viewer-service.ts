/** The viewer gateway's reads (VIEW-1, VIEW-5, LOG-5). */

import { CodedError } from '@roundhouse/backend-types'
import { reaches } from '../access/access'
import { readBlock } from '../common/answers'
import type { OwnHub } from '../common/hub-identity'
import type { Rev } from '../common/revs'
import { withAuthors } from '../ingest/attribution'
import type { Presence } from '../machines/presence'
import type { Reads } from '../ports/stores'
import { requireSessionFor } from '../sessions/session-pages'
import type { SessionMemory } from '../views/session-memory'
import type { Views } from '../views/views'
import type { ViewerReads } from './viewer-reads'

interface ViewerServiceDeps {
  hub: OwnHub
  inboxRev: Rev
  memory: SessionMemory
  presence: Presence
  reads: Pick<Reads, 'commands' | 'events' | 'requests' | 'sessions'>
  views: Views
}

export const TOO_FAR = { maxEvents: 5_000, maxBytes: 5 * 1_048_576 }

export function createViewerReads(deps: ViewerServiceDeps): ViewerReads {
  const { hub, reads, views, memory, presence, inboxRev } = deps
  return {
    hubEpoch: () => hub.hubEpoch,
    inboxRev: () => inboxRev.current,
    isForPerson: (actor, sessionIds) =>
      actor.agents === null ||
      sessionIds.length === 0 ||
      sessionIds.some((sessionId) => {
        const head = reads.sessions.head(sessionId)
        return head === undefined || reaches(actor, head.agentId) // deleted: nobody knows any more whose it was
      }),
    requireReader: (actor, sessionId) => void requireSessionFor(deps, actor, 'session.read', sessionId),
    head: (sessionId) => reads.sessions.head(sessionId)?.committed,
    view: (sessionId) => views.view(sessionId),
    eventsAfter: (sessionId, after, maxEvents, maxBytes) => {
      const head = reads.sessions.head(sessionId)
      const limit = { maxEvents, maxBytes }
      return head ? withAuthors(reads, sessionId, reads.events.after(head.pk, after, limit)) : []
    },
    isTooFar: (sessionId, after) => {
      const head = reads.sessions.head(sessionId)
      if (!head || head.committed <= after) return false
      const missed = reads.events.measureAfter(head.pk, after, TOO_FAR)
      return missed.events > TOO_FAR.maxEvents || missed.bytes > TOO_FAR.maxBytes
    },
    openBlocks: (sessionId) => views.openFrames(sessionId),
    block: async (sessionId, blockId, from) => {
      const block = memory.block(sessionId, blockId)
      if (block && block.from <= from) return { text: block.text.slice(from - block.from), from, length: block.length }
      const row = reads.sessions.find(sessionId)
      if (!row) throw new CodedError('SESSION_NOT_FOUND')
      return readBlock(await presence.ask(row.agentId, { kind: 'block', sessionId, blockId, from }, 5_000))
    },
  }
}

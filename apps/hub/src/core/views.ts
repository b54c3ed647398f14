/** Reads the parts of a session and composes what viewers get. Synchronous: one read transaction, then memory (VIEW-1). */
import type { LiveFrame, OpenBlock, SessionSummary, SessionView, Snapshot } from '@roundhouse/backend-types'
import type { AgentRow, SessionReads, SessionRow } from './ports'
import type { Presence } from './presence'
import type { Rev } from './revs'
import type { SessionMemory } from './session-memory'
import { type AgentFacts, composeSummary, composeView } from './view'

export interface ViewDeps {
  reads: SessionReads
  memory: SessionMemory
  presence: Presence
  viewRev: Rev
}

/** One frame's text of an open block, and of one snapshot's. */
const BLOCK_FRAME_LIMIT = 65_536

export class Views {
  readonly #deps: ViewDeps

  constructor(deps: ViewDeps) {
    this.#deps = deps
  }

  view(sessionId: string): SessionView | undefined {
    const { reads } = this.#deps
    return reads.inOneRead(() => {
      const row = reads.session(sessionId)
      return row && this.viewOf(row)
    })
  }

  viewOf(row: SessionRow): SessionView {
    const { reads, memory, presence, viewRev } = this.#deps
    return composeView({
      row,
      state: memory.state(row.sessionId),
      agent: this.agentFacts(reads.agent(row.agentId)),
      requests: reads.requests(row.pk),
      commands: reads.commands(row.sessionId),
      waits: presence.waits(row.agentId),
      rev: viewRev.next(),
    })
  }

  /** Rows as lists bring them, without their projection. */
  summaries(rows: readonly SessionRow[]): SessionSummary[] {
    const { reads, memory, viewRev } = this.#deps
    const pending = reads.pendingCounts(rows.map((row) => row.pk))
    const agents = new Map(reads.agents().map((agent) => [agent.agentId, this.agentFacts(agent)]))
    const nobody = this.agentFacts(undefined)
    return rows.map((row) => {
      const state = memory.state(row.sessionId)
      return composeSummary({
        row: (state && reads.session(row.sessionId)) ?? row,
        state,
        agent: agents.get(row.agentId) ?? nobody,
        pending: pending.get(row.pk) ?? 0,
        commands: row.committed === 0 ? reads.commands(row.sessionId) : [],
        rev: viewRev.next(),
      })
    })
  }

  agentFacts(agent: AgentRow | undefined): AgentFacts {
    if (!agent) return { name: '', state: 'revoked', online: false, awaySince: 0 }
    const { presence } = this.#deps
    return {
      name: agent.name,
      state: agent.state,
      online: presence.isOnline(agent.agentId),
      awaySince: presence.lastSeen(agent.agentId) ?? agent.lastSeenAt ?? agent.createdAt,
    }
  }

  openBlocks(sessionId: string): Snapshot['openBlocks'] {
    return this.#deps.memory.blocks(sessionId).map(({ asking: _, turnId, parentCallId, callId, ...block }) => {
      const about: Partial<OpenBlock> = {
        ...(turnId === undefined ? {} : { turnId }),
        ...(parentCallId === undefined ? {} : { parentCallId }),
        ...(callId === undefined ? {} : { callId }),
      }
      return { ...block, ...about, length: block.from + block.text.length }
    })
  }

  /** The open blocks as the frames that a viewer applies; a long one in several. */
  openFrames(sessionId: string): LiveFrame[] {
    return this.openBlocks(sessionId).flatMap(({ text, from, length: _, ...block }) => {
      const frames: LiveFrame[] = []
      for (let at = 0; at < Math.max(1, text.length); at += BLOCK_FRAME_LIMIT) {
        frames.push({ sessionId, ...block, offset: from + at, text: text.slice(at, at + BLOCK_FRAME_LIMIT) })
      }
      return frames
    })
  }
}

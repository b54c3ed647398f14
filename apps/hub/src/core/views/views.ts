/** Reads the parts of a session and composes what viewers get. Synchronous: one read transaction, then memory (VIEW-1). */
import type { LiveFrame, OpenBlock, SessionSummary, SessionView, Snapshot } from '@roundhouse/backend-types'
import type { Rev } from '../common/revs'
import type { Presence } from '../machines/presence'
import type { MachineRow } from '../ports/machine-store'
import type { SessionRow } from '../ports/session-store'
import type { Reads } from '../ports/stores'
import { asDamaged } from './damaged-row'
import type { SessionMemory } from './session-memory'
import { type AgentFacts, composeSummary, composeView, isBusyBeside } from './view'

export interface ViewDeps {
  reads: Pick<Reads, 'commands' | 'inOneRead' | 'machines' | 'requests' | 'sessions'>
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
      const row = reads.sessions.find(sessionId)
      return row && this.viewOf(row)
    })
  }

  viewOf(given: SessionRow): SessionView {
    const { reads, memory, presence, viewRev } = this.#deps
    const row = reads.sessions.isHeadWhole(given.sessionId) ? given : asDamaged({ ...given })
    return mended(row, (read) =>
      composeView({
        row: read,
        state: memory.state(row.sessionId),
        agent: this.agentFacts(reads.machines.findMany([row.agentId])[0]),
        requests: reads.requests.shown(row.pk),
        commands: reads.commands.shown(row.sessionId),
        waits: presence.waits(row.agentId),
        rev: viewRev.next(),
      }),
    )
  }

  /** Rows as lists bring them, without their projection. */
  summaries(rows: readonly SessionRow[]): SessionSummary[] {
    const { reads, memory, viewRev } = this.#deps
    const pending = reads.requests.pendingBySession(rows.map((row) => row.pk))
    const machines = reads.machines.findMany(rows.map(({ agentId }) => agentId))
    const agents = new Map(machines.map((machine) => [machine.agentId, this.agentFacts(machine)]))
    const nobody = this.agentFacts(undefined)
    const live = rows.filter(({ sessionId }) => memory.state(sessionId)).map(({ sessionId }) => sessionId)
    const whole = new Map(reads.sessions.findMany(live).map((row) => [row.sessionId, row]))
    const unborn = rows.filter(({ committed }) => committed === 0).map(({ sessionId }) => sessionId)
    const commands = reads.commands.shownOfMany(unborn)
    return rows.map((row) => {
      const state = memory.state(row.sessionId)
      return mended((state && whole.get(row.sessionId)) ?? row, (read) =>
        composeSummary({
          row: read,
          state,
          agent: agents.get(row.agentId) ?? nobody,
          pending: pending.get(row.pk) ?? 0,
          commands: commands.get(row.sessionId) ?? [],
          rev: viewRev.next(),
        }),
      )
    })
  }

  /** Sessions that work although no turn runs. */
  busyBeside(): string[] {
    return this.#deps.memory.sessionsWhere(isBusyBeside)
  }

  agentFacts(agent: MachineRow | undefined): AgentFacts {
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

/** Composing asks nothing but the row: where it cannot be done, the row is not whole. */
function mended<T>(row: SessionRow, compose: (row: SessionRow) => T): T {
  try {
    return compose(row)
  } catch (error) {
    if (row.damaged) throw error
    return compose(asDamaged({ ...row }))
  }
}

/**
 * Reads the parts of a session and composes what viewers get (VIEW-1). The number of a view is taken before its read: of two, the
 * one with the higher number knows all that was stored before it began, however long either took. What memory says is taken
 * as soon as the row is read, so that both are of one time.
 */
import type { LiveFrame, OpenBlock, SessionSummary, SessionView, Snapshot } from '@roundhouse/backend-types'
import type { Rev } from '../common/revs'
import type { Presence } from '../machines/presence'
import type { MachineRow } from '../ports/machine-store'
import type { SessionRow } from '../ports/session-store'
import type { Reads } from '../ports/stores'
import { asDamaged } from './damaged-row'
import type { SessionMemory } from './session-memory'
import { type AgentFacts, composeSummary, composeView, isBusyBeside } from './view'

/** What a view is made of. */
type ViewReads = Pick<Reads, 'commands' | 'machines' | 'requests' | 'sessions'>

export interface ViewDeps {
  reads: Pick<Reads, 'inOneRead'>
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

  /** For what is about to be read. */
  nextRev(): number {
    return this.#deps.viewRev.next()
  }

  view(sessionId: string): Promise<SessionView | undefined> {
    const rev = this.nextRev()
    return this.#deps.reads.inOneRead(async (reads) => {
      const row = await reads.sessions.find(sessionId)
      return row && this.viewOf(reads, row, rev)
    })
  }

  /** `row` was read just now by the same `reads`. */
  async viewOf(reads: ViewReads, given: SessionRow, rev: number): Promise<SessionView> {
    const { memory, presence } = this.#deps
    const state = memory.state(given.sessionId)
    const waits = presence.waits(given.agentId)
    const row = (await reads.sessions.isHeadWhole(given.sessionId)) ? given : asDamaged({ ...given })
    const [machine] = await reads.machines.findMany([row.agentId])
    const agent = this.agentFacts(machine)
    const requests = await reads.requests.shown(row.sessionId)
    const commands = await reads.commands.shown(row.sessionId)
    return mended(row, (read) => composeView({ row: read, state, agent, requests, commands, waits, rev }))
  }

  /** Rows as lists bring them, without their projection, read just now by the same `reads`. */
  async summaries(reads: ViewReads, rows: readonly SessionRow[], rev: number): Promise<SessionSummary[]> {
    const { memory } = this.#deps
    const states = new Map(rows.map(({ sessionId }) => [sessionId, memory.state(sessionId)]))
    const pending = await reads.requests.pendingBySession(rows.map(({ sessionId }) => sessionId))
    const machines = await reads.machines.findMany(rows.map(({ agentId }) => agentId))
    const agents = new Map(machines.map((machine) => [machine.agentId, this.agentFacts(machine)]))
    const nobody = this.agentFacts(undefined)
    const live = rows.filter(({ sessionId }) => states.get(sessionId)).map(({ sessionId }) => sessionId)
    const whole = new Map((await reads.sessions.findMany(live)).map((row) => [row.sessionId, row]))
    const unborn = rows.filter(({ committed }) => committed === 0).map(({ sessionId }) => sessionId)
    const commands = await reads.commands.shownOfMany(unborn)
    return rows.map((row) => {
      const state = states.get(row.sessionId) ?? null
      return mended((state && whole.get(row.sessionId)) ?? row, (read) =>
        composeSummary({
          row: read,
          state,
          agent: agents.get(row.agentId) ?? nobody,
          pending: pending.get(row.sessionId) ?? 0,
          commands: commands.get(row.sessionId) ?? [],
          rev,
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

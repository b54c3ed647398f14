/**
 * Reads the parts of a session and composes what viewers get (VIEW-1). A view's number is taken before its read: the
 * view with the higher number includes everything that was stored before it began, however long the reads took. Memory
 * is read as soon as the row is, so that both are from the same time.
 */
import type {
  HostState,
  LiveFrame,
  OpenBlock,
  SessionStatus,
  SessionSummary,
  SessionView,
  Snapshot,
} from '@roundhouse/backend-types'
import type { Rev } from '../common/revs'
import type { Presence } from '../machines/presence'
import type { MachineRow } from '../ports/machine-store'
import type { SessionRow } from '../ports/session-store'
import type { Reads } from '../ports/stores'
import { asDamaged } from './damaged-row'
import { isAtRest } from './prompt-on-its-way'
import type { SessionMemory } from './session-memory'
import { treePlaces } from './tree-places'
import { type AgentFacts, composeSummary, composeView, isBusyBeside } from './view'

/** The reads that a view needs. */
type ViewReads = Pick<Reads, 'commands' | 'machines' | 'requests' | 'sessions' | 'trees'>

export interface ViewDeps {
  reads: Pick<Reads, 'inOneRead'>
  memory: SessionMemory
  presence: Presence
  viewRev: Rev
}

/** The longest text of an open block in one frame. */
const BLOCK_FRAME_LIMIT = 65_536

export class Views {
  readonly #deps: ViewDeps

  constructor(deps: ViewDeps) {
    this.#deps = deps
  }

  /** The number for a read that is about to begin. */
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

  /** `row` was just read by the same `reads`. */
  async viewOf(reads: ViewReads, given: SessionRow, rev: number): Promise<SessionView> {
    const { memory, presence } = this.#deps
    const state = memory.state(given.sessionId)
    const waits = presence.waits(given.agentId)
    const row = (await reads.sessions.isHeadWhole(given.sessionId)) ? given : asDamaged({ ...given })
    const [machine] = await reads.machines.findMany([row.agentId])
    const agent = this.agentFacts(machine)
    const requests = await reads.requests.shown(row.sessionId)
    const commands = await reads.commands.shown(row.sessionId)
    const tree = (await treePlaces(reads, [row.sessionId])).get(row.sessionId)
    return mended(row, (read) => composeView({ row: read, state, agent, requests, commands, waits, rev, tree }))
  }

  /** `rows` come from a list, without their projection, and were just read by the same `reads`. */
  async summaries(reads: ViewReads, rows: readonly SessionRow[], rev: number): Promise<SessionSummary[]> {
    const { memory } = this.#deps
    const states = new Map(rows.map(({ sessionId }) => [sessionId, memory.state(sessionId)]))
    const pending = await reads.requests.pendingBySession(rows.map(({ sessionId }) => sessionId))
    const machines = await reads.machines.findMany(rows.map(({ agentId }) => agentId))
    const agents = new Map(machines.map((machine) => [machine.agentId, this.agentFacts(machine)]))
    const nobody = this.agentFacts(undefined)
    const live = rows.filter(({ sessionId }) => states.get(sessionId)).map(({ sessionId }) => sessionId)
    const whole = new Map((await reads.sessions.findMany(live)).map((row) => [row.sessionId, row]))
    // Only of these do commands decide the status.
    const asked = rows.filter(
      ({ sessionId, committed, status }) =>
        committed === 0 || isAtRest(status) || isAtRest(states.get(sessionId)?.status ?? status),
    )
    const commands = await reads.commands.shownOfMany(asked.map(({ sessionId }) => sessionId))
    const trees = await treePlaces(
      reads,
      rows.map(({ sessionId }) => sessionId),
    )
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
          tree: trees.get(row.sessionId),
        }),
      )
    })
  }

  /**
   * The sessions that are shown with another status than that of their row, and that status. Lists are filtered by what they
   * show (SES-6). Composes only sessions of which a host's account, a command or a request may decide.
   */
  async shownOtherwise(reads: ViewReads, rev: number): Promise<Map<string, string>> {
    const { memory } = this.#deps
    const commanded = new Set(await reads.commands.sessionsShown())
    const live = memory.sessionsWhere((state) => state !== null)
    const rows = await reads.sessions.listed([...new Set([...live, ...commanded])])
    const stored = new Map(rows.map(({ sessionId, status }) => [sessionId, status.status]))
    const doubtful = rows.filter(
      ({ sessionId, status }) => commanded.has(sessionId) || mayShowOtherwise(status, memory.state(sessionId)),
    )
    const shown = await this.summaries(reads, doubtful, rev)
    return new Map(
      shown.flatMap(({ sessionId, status }) =>
        status.status === stored.get(sessionId) ? [] : [[sessionId, status.status]],
      ),
    )
  }

  agentFacts(agent: MachineRow | undefined): AgentFacts {
    if (!agent) return { name: '', state: 'revoked', online: false, awaySince: 0 }
    const { presence } = this.#deps
    return {
      name: agent.name,
      state: agent.state,
      online: presence.isOnline(agent.agentId),
      awaySince: presence.lastSeen(agent) ?? agent.createdAt,
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

  /** The open blocks as frames for a viewer. A long block takes several. */
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

/** Open requests decide between these. */
const byRequests: ReadonlySet<SessionStatus['status']> = new Set(['running', 'needs_you'])

const mayShowOtherwise = (stored: SessionStatus, state: HostState | null): boolean =>
  state !== null && (state.status.status !== stored.status || byRequests.has(stored.status) || isBusyBeside(state))

/** Composing uses only the row, so if it throws, the row is damaged. */
function mended<T>(row: SessionRow, compose: (row: SessionRow) => T): T {
  try {
    return compose(row)
  } catch (error) {
    if (row.damaged) throw error
    return compose(asDamaged({ ...row }))
  }
}

/**
 * What the hub knows of sessions beyond their rows: the host's last account (LINK-5) and the open blocks (LOG-5).
 * Level-triggered and never stored; after a restart of the hub the agents send it again.
 */
import type { HostState, LiveFrame, SessionEvent } from '@roundhouse/backend-types'
import {
  applyFrame,
  applyText,
  closeBlocks,
  emptyBlocks,
  type LiveBlock,
  type LiveBlocks,
  lengthOf,
  mergeHostState,
  type SessionProjection,
  withoutAnswer,
} from '@roundhouse/delivery'
import { machineLimits } from '../machines/machine-limits'

interface Memory {
  agentId: string
  /** The approximate size of the account and the open blocks. */
  bytes: number
  state: HostState | null
  /** The connection that brought `state`. A newer connection starts over, whatever its host's numbers. */
  connEpoch: number
  blocks: LiveBlocks
}

export interface Followed {
  readonly latest: SessionProjection | null
}

/** The long parts of an account are texts of people or programs. */
function bytesOf({ state, blocks }: Memory): number {
  const text = blocks.open.reduce((sum, block) => sum + block.text.length + 256, 256)
  return text + (state ? JSON.stringify(state).length : 0)
}

/** In a resting session everything that began before its last event is over, so a frame of it came late. */
const floorOf = (stored: SessionProjection | null): number => (stored?.turnId === null ? stored.seq : 0)

export class SessionMemory {
  /** The session with the oldest news comes first. */
  readonly #sessions = new Map<string, Memory>()
  readonly #perAgent = new Map<string, number>()
  readonly #followers = new Map<string, Set<{ latest: SessionProjection | null }>>()

  state(sessionId: string): HostState | null {
    return this.#sessions.get(sessionId)?.state ?? null
  }

  sessionsWhere(isIt: (state: HostState | null) => boolean): string[] {
    return [...this.#sessions].flatMap(([sessionId, { state }]) => (isIt(state) ? [sessionId] : []))
  }

  /** Merges a new account with the stored events. */
  takeState(
    projection: SessionProjection,
    incoming: HostState,
    { agentId, connEpoch }: { agentId: string; connEpoch: number },
  ): HostState | null {
    const memory = this.#of(incoming.sessionId, agentId, () => floorOf(projection))
    const latest = memory.connEpoch === connEpoch ? memory.state : null
    memory.connEpoch = connEpoch
    memory.state = mergeHostState(projection, latest, incoming)
    this.#weigh(incoming.sessionId, memory)
    return memory.state
  }

  /**
   * A report of the log ends the host's account, because a restored log has an older lease. Only what the reporting connection
   * sent before its first report of this session stays. True if an account was removed.
   */
  reported(sessionId: string, connEpoch: number, first: boolean): boolean {
    const memory = this.#sessions.get(sessionId)
    if (!memory?.state || (first && memory.connEpoch === connEpoch)) return false
    memory.state = null
    return true
  }

  /**
   * For work on a row that takes time to read. `latest` is the projection of what was stored since the work began, or
   * null if nothing was. So nobody merges an account with a row that is older than the account.
   */
  async following<T>(sessionId: string, work: (followed: Followed) => Promise<T>): Promise<T> {
    const followed: { latest: SessionProjection | null } = { latest: null }
    const all = this.#followers.get(sessionId) ?? new Set()
    this.#followers.set(sessionId, all.add(followed))
    try {
      return await work(followed)
    } finally {
      all.delete(followed)
      if (all.size === 0) this.#followers.delete(sessionId)
    }
  }

  /** The log started again. */
  rebased(sessionId: string, projection: SessionProjection): void {
    this.#tell(sessionId, projection)
    this.forget(sessionId)
  }

  #tell(sessionId: string, projection: SessionProjection): void {
    for (const followed of this.#followers.get(sessionId) ?? []) followed.latest = projection
  }

  /** After events were stored: removes what they closed from the account and the open blocks. */
  eventsStored(
    sessionId: string,
    projection: SessionProjection,
    events: ReadonlyArray<{ event: SessionEvent; seq: number }>,
  ): void {
    this.#tell(sessionId, projection)
    const memory = this.#sessions.get(sessionId)
    if (!memory) return
    memory.state = mergeHostState(projection, memory.state, null)
    for (const { event, seq } of events) memory.blocks = closeBlocks(memory.blocks, event, seq)
    if (!memory.state && projection.turnId === null) this.rests(sessionId)
  }

  /** Drops a session that has nothing left here. False while a block is being written. */
  rests(sessionId: string): boolean {
    if (this.blocks(sessionId).length > 0) return false
    this.forget(sessionId)
    return true
  }

  /**
   * Returns the question for the agent if the frame does not fit the present text. `stored`: the stored projection, if
   * nothing of the session is here.
   */
  frame(frame: LiveFrame, agentId: string, stored: SessionProjection | null): { blockId: string; from: number } | null {
    const { sessionId } = frame
    const isNew = !this.#sessions.has(sessionId)
    const memory = this.#of(sessionId, agentId, () => floorOf(stored))
    const { blocks, ask } = applyFrame(memory.blocks, frame)
    memory.blocks = blocks
    this.#weigh(sessionId, memory)
    if (isNew) this.rests(sessionId) // the frame came late
    return ask
  }

  blockText(sessionId: string, answer: { blockId: string; from: number; text: string }): void {
    const memory = this.#sessions.get(sessionId)
    if (!memory) return
    memory.blocks = applyText(memory.blocks, answer)
    this.#weigh(sessionId, memory)
  }

  /** The agent did not send the text. */
  noBlockText(sessionId: string, blockId: string): void {
    const memory = this.#sessions.get(sessionId)
    if (memory) memory.blocks = withoutAnswer(memory.blocks, blockId)
  }

  /** The machine of the session, if anything of it is here. */
  agentOf(sessionId: string): string | undefined {
    return this.#sessions.get(sessionId)?.agentId
  }

  blocks(sessionId: string): readonly LiveBlock[] {
    return this.#sessions.get(sessionId)?.blocks.open ?? []
  }

  block(sessionId: string, blockId: string): (LiveBlock & { length: number }) | undefined {
    const block = this.blocks(sessionId).find((open) => open.blockId === blockId)
    return block && { ...block, length: lengthOf(block) }
  }

  /** The session was deleted. */
  forget(sessionId: string): void {
    const memory = this.#sessions.get(sessionId)
    if (memory) this.#count(memory.agentId, -memory.bytes)
    this.#sessions.delete(sessionId)
  }

  /** BAD-4: above a machine's share, its session with the oldest news is dropped; its host sends its account again. */
  #weigh(sessionId: string, memory: Memory): void {
    const bytes = bytesOf(memory)
    this.#count(memory.agentId, bytes - memory.bytes)
    memory.bytes = bytes
    this.#sessions.delete(sessionId)
    this.#sessions.set(sessionId, memory)
    if ((this.#perAgent.get(memory.agentId) ?? 0) <= machineLimits.memoryBytes) return
    for (const [oldest, { agentId }] of this.#sessions) {
      if (agentId !== memory.agentId || oldest === sessionId) continue
      this.forget(oldest)
      if ((this.#perAgent.get(agentId) ?? 0) <= machineLimits.memoryBytes) return
    }
  }

  #count(agentId: string, more: number): void {
    const bytes = (this.#perAgent.get(agentId) ?? 0) + more
    if (bytes > 0) this.#perAgent.set(agentId, bytes)
    else this.#perAgent.delete(agentId)
  }

  #of(sessionId: string, agentId: string, floor: () => number): Memory {
    let memory = this.#sessions.get(sessionId)
    if (!memory) {
      const over = floor()
      const blocks = { ...emptyBlocks(), floor: over, processFloor: over }
      memory = { agentId, bytes: 0, state: null, connEpoch: 0, blocks }
      this.#sessions.set(sessionId, memory)
    }
    return memory
  }
}

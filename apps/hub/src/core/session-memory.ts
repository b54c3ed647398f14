/**
 * What the hub knows of sessions beyond their rows: the host's last account (LINK-5) and the blocks being written
 * (LOG-5). Level-triggered and never stored; after a restart the agents tell it again.
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
} from '@roundhouse/delivery'

interface Memory {
  state: HostState | null
  /** The connection that brought `state`. A newer one starts over, whatever numbers its host counts by. */
  connEpoch: number
  blocks: LiveBlocks
}

export class SessionMemory {
  readonly #sessions = new Map<string, Memory>()

  state(sessionId: string): HostState | null {
    return this.#sessions.get(sessionId)?.state ?? null
  }

  /** What is new in it is merged with what the events say. */
  takeState(projection: SessionProjection, incoming: HostState, connEpoch: number): HostState | null {
    const memory = this.#of(incoming.sessionId)
    const latest = memory.connEpoch === connEpoch ? memory.state : null
    memory.connEpoch = connEpoch
    memory.state = mergeHostState(projection, latest, incoming)
    return memory.state
  }

  /**
   * A report ends the host's account: a log that was put back has an older lease. Only what the reporting connection
   * said before its first report of this session stays. True when there was one to end.
   */
  reported(sessionId: string, connEpoch: number, first: boolean): boolean {
    const memory = this.#sessions.get(sessionId)
    if (!memory?.state || (first && memory.connEpoch === connEpoch)) return false
    memory.state = null
    return true
  }

  /** After events were stored: what they closed is taken out of the account and of the open blocks. */
  eventsStored(
    sessionId: string,
    projection: SessionProjection,
    events: ReadonlyArray<{ event: SessionEvent; seq: number }>,
  ): void {
    const memory = this.#sessions.get(sessionId)
    if (!memory) return
    memory.state = mergeHostState(projection, memory.state, null)
    for (const { event, seq } of events) memory.blocks = closeBlocks(memory.blocks, event, seq)
  }

  /** What to ask of the agent when the frame does not fit what is here. */
  frame(frame: LiveFrame): { blockId: string; from: number } | null {
    const memory = this.#of(frame.sessionId)
    const { blocks, ask } = applyFrame(memory.blocks, frame)
    memory.blocks = blocks
    return ask
  }

  blockText(sessionId: string, answer: { blockId: string; from: number; text: string }): void {
    const memory = this.#sessions.get(sessionId)
    if (memory) memory.blocks = applyText(memory.blocks, answer)
  }

  blocks(sessionId: string): readonly LiveBlock[] {
    return this.#sessions.get(sessionId)?.blocks.open ?? []
  }

  block(sessionId: string, blockId: string): (LiveBlock & { length: number }) | undefined {
    const block = this.blocks(sessionId).find((open) => open.blockId === blockId)
    return block && { ...block, length: lengthOf(block) }
  }

  /** The log began anew, or the session is gone. */
  forget(sessionId: string): void {
    this.#sessions.delete(sessionId)
  }

  #of(sessionId: string): Memory {
    let memory = this.#sessions.get(sessionId)
    if (!memory) {
      memory = { state: null, connEpoch: 0, blocks: emptyBlocks() }
      this.#sessions.set(sessionId, memory)
    }
    return memory
  }
}

/**
 * A prompt that a host had accepted and not begun when it died is begun by the next host, without anybody asking (CMD-2:
 * accepted means that it will be done). A session whose hosts die of it is woken three times at most, until a turn begins.
 */
import { type HostState, toCodedError } from '@roundhouse/backend-types'

const MOST_TRIES = 3

export interface WakerPorts {
  /** Waits for a free place among the running programs. */
  enter(sessionId: string): Promise<void>
  entered(sessionId: string): void
  /** Starts the session's host, which plays its queue. */
  start(sessionId: string): Promise<unknown>
  log(line: string): void
}

export class QueueWaker {
  private readonly tries = new Map<string, number>()

  constructor(private readonly ports: WakerPorts) {}

  /** How the host that closed this session left it. */
  async left(state: HostState): Promise<void> {
    const { sessionId, queue, queueHeld, status } = state
    const tries = this.tries.get(sessionId) ?? 0
    if (queue.length === 0 || queueHeld || status.status === 'ended' || tries >= MOST_TRIES) return
    this.tries.set(sessionId, tries + 1)
    try {
      await this.ports.enter(sessionId)
      await this.ports.start(sessionId)
    } catch (error) {
      this.ports.log(`${sessionId}: its waiting prompt could not be begun: ${toCodedError(error).message}`)
    } finally {
      this.ports.entered(sessionId)
    }
  }

  seen({ sessionId, turnId }: HostState): void {
    if (turnId !== undefined) this.tries.delete(sessionId)
  }
}

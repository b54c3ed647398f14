/**
 * BUS-7: what one subscriber gets of the bus. It has a place in the table and goes on from there: at each new message, and when its
 * socket has drained. Whoever reads slowly stays behind by itself, in the table and not in memory; whoever comes back asks from
 * where it was. Whoever could not read is behind until somebody looks again.
 *
 *   quiet -- new messages --> sending -- nothing more --> quiet
 *                             sending -- socket full --> waiting -- drained --> sending
 */
import type { BusMessage } from '@roundhouse/backend-types'
import type { BusEye, BusLot } from '../../core'
import type { ViewerLane } from '../people/viewer-lane'

export interface FeedSocket {
  readonly connected: boolean
  send(frame: { messages: BusMessage[]; next: number }): void
  /** Too much waits in it already to add these. */
  isFull(messages: BusMessage[]): boolean
  whenDrained(then: () => void): void
}

export interface FeedDeps {
  socket: FeedSocket
  lane: Pick<ViewerLane, 'send'>
  /** One read serves all who are at the same place. */
  rows: (after: number) => Promise<BusLot>
  onError: (error: unknown) => void
}

export class ProgramFeed {
  readonly #deps: FeedDeps
  #eye: BusEye | null = null
  #after = 0
  #isAtWork = false
  #isNews = false
  #isWaiting = false
  /** The last read failed. */
  #isBehind = false

  constructor(deps: FeedDeps) {
    this.#deps = deps
  }

  /** Takes the place of what was wanted before. */
  want(eye: BusEye, after: number): void {
    this.#eye = eye
    this.#after = after
    this.wake()
  }

  wake(): void {
    this.#isNews = true
    if (!this.#isAtWork && !this.#isWaiting && this.#eye) void this.#work()
  }

  /** Reads again if the last read failed: a quiet bus wakes nobody. */
  catchUp(): void {
    if (this.#isBehind) this.wake()
  }

  /** All feeds of the hub work at each commit, so it makes few promises. */
  async #work(): Promise<void> {
    this.#isAtWork = true
    while (this.#isNews && !this.#isWaiting && this.#deps.socket.connected) {
      this.#isNews = false
      this.#isBehind = false
      try {
        while (await this.#sendLot()) {}
      } catch (error) {
        this.#isBehind = true
        this.#deps.onError(error)
      }
    }
    this.#isAtWork = false
  }

  /** False where there was nothing more, or the socket is full or gone. */
  async #sendLot(): Promise<boolean> {
    const { rows, lane, socket } = this.#deps
    const [eye, after] = [this.#eye, this.#after]
    const lot = await rows(after)
    if (lot.next === after || !eye) return false
    const messages: BusMessage[] = []
    for (const row of lot.rows) {
      const message = eye(row)
      if (message) messages.push(message)
    }
    // Most messages concern few: whoever is sent nothing waits for nobody's turn.
    if (messages.length === 0) return this.#moveOn(eye, after, lot.next) && !lot.isEnd
    if (socket.isFull(messages)) {
      this.#isWaiting = true
      socket.whenDrained(() => {
        this.#isWaiting = false
        this.wake()
      })
      return false
    }
    await lane.send(() => {
      if (socket.connected && this.#moveOn(eye, after, lot.next)) socket.send({ messages, next: lot.next })
    })
    return !lot.isEnd && socket.connected
  }

  /** False where a new subscription took the place of this one: it begins at its own place. */
  #moveOn(eye: BusEye, after: number, next: number): boolean {
    if (this.#eye !== eye || this.#after !== after) return false
    this.#after = next
    return true
  }
}

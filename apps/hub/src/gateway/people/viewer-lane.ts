/**
 * Sends frames to viewers one after the other, so that every socket gets them in the order in which things happened. A frame may
 * need a read first; the frames behind it wait. The lane checks the rights after that read, and sends in the same step in which
 * the check ended (AUTH-1).
 */

interface Frame {
  prepare: (() => Promise<unknown>) | null
  send: (prepared: never) => void
  settle: (error?: unknown) => void
}

export class ViewerLane {
  readonly #check: () => Promise<void>
  readonly #waiting: Frame[] = []
  #isAtWork = false

  /** After `check`, only viewers that may be in a room are in it. Where it throws, the lane sends nothing. */
  constructor(check: () => Promise<void>) {
    this.#check = check
  }

  /** Rejects where the frame was not sent. The next frame is sent all the same. */
  send(send: () => void): Promise<void> {
    return this.#put(null, send)
  }

  sendPrepared<T>(prepare: () => Promise<T>, send: (prepared: T) => void): Promise<void> {
    return this.#put(prepare, send)
  }

  #put(prepare: Frame['prepare'], send: Frame['send']): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: unknown) => (error === undefined ? resolve() : reject(error))
      this.#waiting.push({ prepare, send, settle })
      if (!this.#isAtWork) void this.#work()
    })
  }

  async #work(): Promise<void> {
    this.#isAtWork = true
    for (let first = this.#waiting.shift(); first; first = this.#waiting.shift()) {
      let together = [first]
      try {
        // Each await that is not needed lets the machine's ack go first, and the viewers wait while it is written.
        const prepared = first.prepare ? await first.prepare() : undefined
        // One check serves all frames that already wait and need no read.
        together = [first, ...this.#takeReady()]
        await this.#check()
        for (const one of together) sendOne(one, prepared)
      } catch (error) {
        for (const one of together) one.settle(error)
      }
    }
    this.#isAtWork = false
  }

  #takeReady(): Frame[] {
    const end = this.#waiting.findIndex(({ prepare }) => prepare !== null)
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end)
  }
}

function sendOne({ send, settle }: Frame, prepared: unknown): void {
  try {
    send(prepared as never)
    settle()
  } catch (error) {
    settle(error ?? new Error('nothing was thrown'))
  }
}

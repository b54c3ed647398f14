/**
 * Decides which link's frame is handled next. All links share a few milliseconds of each turn of the event loop and take turns
 * in it, one frame each. The rest waits for the next turn. So a link that floods costs the others only those milliseconds,
 * however much it sends (FLOW-6). If nothing waits, a frame is handled as soon as it arrives.
 */

const SLICE_MS = 5

export interface Line {
  /** Begins one frame. False where none may begin now: then the line offers itself again. */
  step(): boolean
}

export class Turns {
  /** Lines that have a frame to begin; the next one first. */
  readonly #ready = new Set<Line>()
  #spentMs = 0
  #armed = false

  offer(line: Line): void {
    this.#ready.add(line)
    this.#work()
  }

  withdraw(line: Line): void {
    this.#ready.delete(line)
  }

  #work(): void {
    for (const line of this.#ready) {
      if (this.#spentMs >= SLICE_MS) break
      this.#ready.delete(line)
      const began = performance.now()
      if (line.step()) this.#ready.add(line) // behind the others
      this.#spentMs += performance.now() - began
    }
    if (this.#armed || this.#spentMs === 0) return
    this.#armed = true
    setImmediate(() => {
      this.#armed = false
      this.#spentMs = 0
      if (this.#ready.size > 0) this.#work()
    })
  }
}

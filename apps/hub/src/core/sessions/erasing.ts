/**
 * SES-3: erases the sessions that have tombstones, step by step, beside all other work. An erasure that an earlier
 * process left unfinished is due at the first tick, and a failed one at the next tick.
 */
import type { Eraser } from '../ports/session-store'
import { isTold } from '../ports/storage-port'

export class Erasing {
  #due = true
  #stopped = false
  #failing = false
  #work: Promise<void> | null = null

  constructor(
    private readonly eraser: Eraser,
    private readonly tell: (error: unknown) => void,
  ) {}

  /** A session was deleted. */
  begin(): void {
    this.#due = true
    this.tick()
  }

  /** Does not wait for the work. */
  tick(): void {
    if (!this.#due || this.#stopped || this.#work) return
    this.#due = false
    this.#work = this.#all().finally(() => {
      this.#work = null
    })
  }

  /** Resolves when the current step has ended. No other begins. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#work
  }

  async #all(): Promise<void> {
    let failed: unknown
    try {
      for (const sessionId of await this.eraser.undone()) failed = (await this.#one(sessionId)) ?? failed
    } catch (error) {
      failed = error
    }
    if (failed === undefined) this.#failing = false
    else this.#fails(failed)
  }

  /** A session that cannot be erased does not stop the others. Returns its error if it fails while the disk takes writes. */
  async #one(sessionId: string): Promise<unknown> {
    try {
      while (!this.#stopped && (await this.eraser.eraseSome(sessionId))) {}
      return undefined
    } catch (error) {
      if (isTold(error)) throw error
      return error
    }
  }

  #fails(error: unknown): void {
    this.#due = true
    if (!this.#failing) this.tell(error)
    this.#failing = true
  }
}

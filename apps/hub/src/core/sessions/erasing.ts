/**
 * SES-3: erases what tombstones wait for, step by step, beside everything else. What a hub left that ended in the middle is
 * due from the first tick on; what failed is due again at the next one.
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

  /** Waits for nothing. */
  tick(): void {
    if (!this.#due || this.#stopped || this.#work) return
    this.#due = false
    this.#work = this.#all().finally(() => {
      this.#work = null
    })
  }

  /** Resolves when the step at work has ended; no other begins. */
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

  /** One that cannot be erased leaves the others their turn. Its error, where it fails and the disk takes writes. */
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

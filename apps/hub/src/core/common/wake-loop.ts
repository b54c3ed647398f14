/**
 * Does a step of work whenever somebody wakes it, one step at a time. Wakes that come during a step cause one more step,
 * however many they are, so nothing that happened before a wake is missed.
 *
 *   resting -- woken --> at work -- woken meanwhile, or there is more --> at work
 *                        at work -- otherwise --> resting
 */

export interface WakeLoopOptions {
  /** Returns true if there may be more to do. */
  step: () => Promise<boolean> | Promise<void>
  /** Gets the error of each step that nobody waits for. */
  onError: (error: unknown) => void
  /**
   * For a loop that is woken often. After a failure it rests until the next wake: wakes that came during the failed step
   * do not count. Of failures in a row, only the first is told.
   */
  restsAfterFailure?: boolean
}

interface Waiting {
  resolve: () => void
  reject: (error: unknown) => void
}

export class WakeLoop {
  readonly #options: WakeLoopOptions
  #work: Promise<void> | null = null
  /** Those who wait for the next step. */
  #waiting: Waiting[] = []
  #isWoken = false
  #isFailing = false
  #isStopped = false

  constructor(options: WakeLoopOptions) {
    this.#options = options
  }

  get isAtWork(): boolean {
    return this.#work !== null
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Does not wait for the work. */
  wake(): void {
    if (this.#isStopped) return
    this.#isWoken = true
    this.#work ??= this.#workUntilQuiet()
  }

  /**
   * Wakes the loop, and resolves when a step that began after this call has ended. Rejects if that step failed. Of a loop that is
   * stopped, resolves at once.
   */
  async run(): Promise<void> {
    if (this.#isStopped) return
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.wake()
    })
  }

  /** Resolves when nothing is left to do. */
  async idle(): Promise<void> {
    await this.#work
  }

  /** Resolves when the step under way has ended. No other begins. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#work
  }

  async #workUntilQuiet(): Promise<void> {
    await undefined // All who wake it in the same moment share a step.
    do {
      await this.#once()
    } while (this.#isWoken && !this.#isStopped)
    for (const { resolve } of this.#waiting.splice(0)) resolve()
    this.#work = null
  }

  async #once(): Promise<void> {
    const waiting = this.#waiting.splice(0)
    this.#isWoken = false
    try {
      if ((await this.#options.step()) === true) this.#isWoken = true
      this.#isFailing = false
      for (const { resolve } of waiting) resolve()
    } catch (error) {
      this.#fail(error, waiting)
    }
  }

  #fail(error: unknown, waiting: readonly Waiting[]): void {
    const { onError, restsAfterFailure = false } = this.#options
    const isNews = !this.#isFailing || !restsAfterFailure
    this.#isFailing = true
    if (restsAfterFailure) this.#isWoken = this.#waiting.length > 0
    for (const { reject } of waiting) reject(error)
    if (waiting.length === 0 && isNews) onError(error)
  }
}

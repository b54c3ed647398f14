/** Runs a step again and again until it has nothing more to do. Whoever wakes it while it runs makes it run once more. */
export class Loop {
  readonly #step: () => Promise<boolean>
  readonly #onError: (error: unknown) => void
  #atWork: Promise<void> | null = null
  #isWoken = false
  #isStopped = false
  #isFailing = false

  /** `step` answers whether there may be more. After an error, which is told once, the loop rests until somebody wakes it. */
  constructor(step: () => Promise<boolean>, onError: (error: unknown) => void) {
    this.#step = step
    this.#onError = onError
  }

  get isAtWork(): boolean {
    return this.#atWork !== null
  }

  wake(): void {
    this.#isWoken = true
    if (this.#atWork || this.#isStopped) return
    this.#atWork = this.#run()
      .catch((error) => this.#fail(error))
      .finally(() => {
        this.#atWork = null
        if (this.#isWoken) this.wake()
      })
  }

  /** No step begins after this. Resolves when the one at work has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#atWork
  }

  async #run(): Promise<void> {
    let isMore = true
    while ((isMore || this.#isWoken) && !this.#isStopped) {
      this.#isWoken = false
      isMore = await this.#step()
      this.#isFailing = false
    }
  }

  #fail(error: unknown): void {
    this.#isWoken = false
    if (!this.#isFailing) this.#onError(error)
    this.#isFailing = true
  }
}

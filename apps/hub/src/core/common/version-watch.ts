/**
 * Watches a number in the database that every change of one kind increments. Work that depends on these changes runs if
 * the number has moved since the work last ended.
 */
export class VersionWatch {
  readonly #read: () => Promise<number>
  /** A promise until the first read has ended. Null if it could not be read; then it counts as moved. */
  #done: Promise<number | null> | number | null

  /** Changes before this moment do not count. */
  constructor(read: () => Promise<number>) {
    this.#read = read
    this.#done = read().catch(() => null)
  }

  /** Work that fails is due again. */
  async whenMoved(work: () => Promise<void>): Promise<void> {
    // Read before the work: a change during the work counts at the next call.
    const version = await this.#read()
    const done = this.#done instanceof Promise ? await this.#done : this.#done
    if (version === done) return
    await work()
    this.#done = version
  }
}

/** Waits for a condition that is looked at after everything that happens, never on time. */
export class Waiter {
  #waiting: Array<{ test: () => boolean; resolve: () => void }> = []

  look(): void {
    const done = this.#waiting.filter((one) => one.test())
    this.#waiting = this.#waiting.filter((one) => !done.includes(one))
    for (const one of done) one.resolve()
  }

  until(test: () => boolean): Promise<void> {
    if (test()) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ test, resolve }))
  }
}

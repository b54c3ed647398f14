/** Waits for a state, looked at after every change. */
export class Waiter {
  readonly #waiting = new Set<() => void>()

  changed(): void {
    for (const look of [...this.#waiting]) look()
  }

  /** Rejects after `ms` with what was waited for. */
  async until(what: string, test: () => boolean, ms = 30_000): Promise<void> {
    if (test()) return
    await new Promise<void>((resolve, reject) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(look)
      }
      const look = () => {
        if (!test()) return
        done()
        resolve()
      }
      const timer = setTimeout(() => {
        done()
        reject(new Error(`waited ${ms} ms for ${what}`))
      }, ms)
      this.#waiting.add(look)
    })
  }
}

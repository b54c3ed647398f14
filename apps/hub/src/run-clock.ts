/** Calls `tick` again and again until it is stopped. A tick that is still at work is not called a second time. */

const EVERY_MS = 1_000

export interface RunningClock {
  /** No tick begins after this. Resolves when the one at work has ended. */
  stop(): Promise<void>
}

export interface ClockOptions {
  everyMs?: number
  onError(error: unknown): void
}

export function runClock(tick: () => Promise<void>, { everyMs = EVERY_MS, onError }: ClockOptions): RunningClock {
  let atWork: Promise<void> | null = null
  const timer = setInterval(() => {
    atWork ??= Promise.resolve()
      .then(tick)
      .catch(onError)
      .finally(() => {
        atWork = null
      })
  }, everyMs)
  return {
    async stop() {
      clearInterval(timer)
      await atWork
    },
  }
}

/** Waiting that an interrupt ends. */

/** The turn was ended from outside. */
export class Stopped extends Error {}

/** The turn cannot go on; `code` is one of the error table. */
export class TurnFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new Stopped()
}

/** Resolves after `ms`, or at once when the signal fires. With 0 it only lets incoming frames be read. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  if (ms <= 0) return new Promise((resolve) => setImmediate(resolve))
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}

/** Never resolves by itself. */
export function untilStopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/**
 * Limits password hashing, which uses the threads that also read files: a few run at once, and a few wait. Beyond that, the
 * one that has waited longest is refused, so that many wrong passwords neither stop the pages nor keep a newcomer out.
 */
import { APIError } from 'better-auth/api'

const AT_ONCE = 2
const WAITING = 32

interface Waiting {
  start: () => void
  refuse: (error: Error) => void
}

export class HashTurns {
  #running = 0
  readonly #waiting: Waiting[] = []

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= AT_ONCE) await this.#wait()
    else this.#running += 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next.start()
      else this.#running -= 1
    }
  }

  /** The next one to start takes the place of the one that ended. */
  #wait(): Promise<void> {
    return new Promise((start, refuse) => {
      this.#waiting.push({ start, refuse })
      if (this.#waiting.length <= WAITING) return
      this.#waiting.shift()?.refuse(new APIError('TOO_MANY_REQUESTS', { message: 'Too many sign-ins at once.' }))
    })
  }
}

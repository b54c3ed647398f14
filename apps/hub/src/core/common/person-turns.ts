/** Work of each person one after the other, so that nobody who asks for much at once makes the others wait for it (BUS-7.11). */
import { CodedError } from '@roundhouse/backend-types'

/** How many pieces of work of one person may wait behind the one that runs. */
const MOST_WAITING = 32

interface Line {
  last: Promise<unknown>
  size: number
}

export class PersonTurns {
  readonly #lines = new Map<string, Line>()

  /** Rejects with `RATE_LIMITED` if too much of this person waits already. */
  async take<T>({ userId }: { userId: string }, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(userId) ?? { last: Promise.resolve(), size: 0 }
    if (line.size > MOST_WAITING)
      throw new CodedError('RATE_LIMITED', 'You ask for too much at once.', { retryAfterSeconds: 1 })
    this.#lines.set(userId, line)
    line.size += 1
    const turn = line.last.then(work)
    line.last = turn.catch(() => {})
    try {
      return await turn
    } finally {
      line.size -= 1
      if (line.size === 0) this.#lines.delete(userId)
    }
  }
}

/**
 * Takes over the sessions of the previous daemon, a few at once. Each session's adoption is first in its queue, so that
 * other work on the session waits for it. Until it is settled, the end of its log is unknown.
 */
import type { When } from './session/one-by-one'

const AT_ONCE = 8

export class Adoptions {
  private readonly unsettled = new Set<string>()
  private readonly waiting: Array<() => void> = []
  private running = 0
  private stopped = false

  isUnderWay(sessionId: string): boolean {
    return this.unsettled.has(sessionId)
  }

  /** The daemon leaves: what was not begun is for the next one. */
  stop(): void {
    this.stopped = true
  }

  async all(
    sessionIds: readonly string[],
    adopt: (sessionId: string, when: When) => Promise<void>,
    settled: (sessionId: string) => void,
  ): Promise<void> {
    await Promise.all(
      sessionIds.map(async (sessionId) => {
        this.unsettled.add(sessionId)
        await adopt(sessionId, (work) => this.inTurn(work))
        this.unsettled.delete(sessionId)
        if (!this.stopped) settled(sessionId)
      }),
    )
  }

  private async inTurn(work: () => Promise<void>): Promise<void> {
    if (this.running >= AT_ONCE) await new Promise<void>((resolve) => this.waiting.push(resolve))
    else this.running += 1
    try {
      if (!this.stopped) await work()
    } finally {
      const next = this.waiting.shift()
      if (next) next()
      else this.running -= 1
    }
  }
}

/**
 * Takes over what the daemon before this one left, some sessions at once. Each stands in its own line from the beginning, so
 * that whatever else is asked of it comes behind; until it is settled nobody knows what its log will say.
 */
const AT_ONCE = 8

/** Runs one piece of work when its turn has come. */
export type When = (work: () => Promise<void>) => Promise<void>

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

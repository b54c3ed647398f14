/**
 * Starting a process costs a quarter of a second of a processor, so a crowd of sessions starts its hosts a few at a time:
 * whoever is first in the row gets its answer soon, and the machine stays usable. Sessions that somebody looks at go first,
 * then whoever asked first.
 */
import { availableParallelism } from 'node:os'

/** No more than there are processors: a hub on the same machine wants one, too. */
export const STARTS_AT_ONCE = Math.max(2, Math.min(4, availableParallelism()))

export class HostStarts {
  private running = 0
  private readonly waiting: Array<{ sessionId: string; go(): void }> = []

  constructor(
    private readonly isLooked: (sessionId: string) => boolean,
    private readonly atOnce = STARTS_AT_ONCE,
  ) {}

  /** Runs `work` when its turn has come. It must not ask for another turn. */
  async run<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    if (this.running >= this.atOnce) await new Promise<void>((go) => this.waiting.push({ sessionId, go }))
    else this.running += 1
    try {
      return await work()
    } finally {
      this.passOn()
    }
  }

  private passOn(): void {
    const looked = this.waiting.findIndex(({ sessionId }) => this.isLooked(sessionId))
    const [next] = this.waiting.splice(Math.max(0, looked), 1)
    if (next) next.go()
    else this.running -= 1
  }
}

/**
 * Limits concurrent host starts. A start costs a quarter of a second of processor time, so many sessions start their hosts a
 * few at a time: the first ones answer soon, and the machine stays usable. Sessions that somebody watches go first, then the
 * oldest requests.
 */
import { availableParallelism } from 'node:os'

/** Fewer than there are processors: one is left to what runs already, such as a hub on the same machine. */
const STARTS_AT_ONCE = Math.max(1, Math.min(4, availableParallelism() - 1))
/** What takes longer waits for something else than a processor, such as a disk or a process that does not answer. */
const SLOW_MS = 5_000

export class HostStarts {
  private running = 0
  private readonly waiting: Array<{ sessionId: string; go(): void }> = []

  constructor(
    private readonly isLooked: (sessionId: string) => boolean,
    private readonly atOnce = STARTS_AT_ONCE,
  ) {}

  /**
   * Runs `work` when its turn comes. `work` must not request another turn. If it is slow, it continues, and the next one
   * starts.
   */
  async run<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    if (this.running >= this.atOnce) await new Promise<void>((go) => this.waiting.push({ sessionId, go }))
    else this.running += 1
    let isOver = false
    const passOn = () => {
      if (!isOver) this.passOn()
      isOver = true
    }
    const slow = setTimeout(passOn, SLOW_MS)
    try {
      return await work()
    } finally {
      clearTimeout(slow)
      passOn()
    }
  }

  private passOn(): void {
    const looked = this.waiting.findIndex(({ sessionId }) => this.isLooked(sessionId))
    const [next] = this.waiting.splice(Math.max(0, looked), 1)
    if (next) next.go()
    else this.running -= 1
  }
}

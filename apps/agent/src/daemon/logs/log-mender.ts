/**
 * Repairs damaged logs, a few at a time: a host of the session sets the log aside and starts a new one (REB-1). A failed
 * repair, for example on a full disk, is retried as long as the daemon lives.
 */
import { toCodedError } from '@roundhouse/backend-types'

const AT_ONCE = 2
const FIRST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 60_000

export class LogMender {
  private readonly waiting = new Set<string>()
  private readonly tries = new Map<string, number>()
  private atWork = 0
  private stopped = false

  constructor(
    private readonly mend: (sessionId: string) => Promise<void>,
    private readonly log: (line: string) => void,
  ) {}

  damaged(sessionId: string, why: string): void {
    this.log(`${sessionId}: its log is damaged (${why}); setting it aside and continuing with a new one`)
    this.add(sessionId)
  }

  stop(): void {
    this.stopped = true
  }

  private add(sessionId: string): void {
    this.waiting.add(sessionId)
    setImmediate(() => this.next())
  }

  private next(): void {
    const [sessionId] = this.waiting
    if (sessionId === undefined || this.stopped || this.atWork >= AT_ONCE) return
    this.waiting.delete(sessionId)
    this.atWork += 1
    void this.try(sessionId).finally(() => {
      this.atWork -= 1
      this.next()
    })
    this.next()
  }

  private async try(sessionId: string): Promise<void> {
    try {
      await this.mend(sessionId)
      this.tries.delete(sessionId)
    } catch (error) {
      const tries = this.tries.get(sessionId) ?? 0
      this.tries.set(sessionId, tries + 1)
      this.log(`${sessionId}: its log could not be replaced yet: ${toCodedError(error).message}`)
      setTimeout(() => this.add(sessionId), Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** tries)).unref()
    }
  }
}

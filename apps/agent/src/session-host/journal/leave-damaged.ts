/**
 * Ends a host whose log is damaged or lost. Nothing that it read or wrote can be trusted, so it marks the log (a lost
 * log cannot be marked) and exits at once, like a host that died. Its guard ends the program. The next host sets the
 * log aside and reports it.
 */
import { CodedError } from '@roundhouse/backend-types'
import { diskTroubleOf, unreadableLog } from '../../files/disk-trouble'
import { UNREADABLE_EXIT } from '../../host-contract/launch-spec'
import { sessionFiles } from '../../host-contract/paths'
import { isDamage, readRefusal } from '../../log/broken-log'
import { markDamaged } from '../../log/damaged-mark'
import { LostLog } from '../../log/log-place'
import type { SessionLog } from '../../log/session-log'

/** For people who read `host.log`; the daemon uses the mark. */
const DAMAGED_EXIT = 4

const isTornText = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof Error && error.name === 'ZodError')

export class DamageWatch {
  private log: Pick<SessionLog, 'logId' | 'isSound'> | null = null

  constructor(private readonly sessionDir: string) {
    // Reads of the log happen inside other work. An error that any of them throws ends up here.
    process.on('uncaughtException', (error) => {
      this.leaveIfDamaged(error)
      console.error(error)
      process.exit(1)
    })
  }

  /** Sets the log that later errors refer to. */
  opened(log: Pick<SessionLog, 'logId' | 'isSound'>): void {
    this.log = log
  }

  /**
   * Handles an unexpected error. A damaged page may hold wrong data and still be readable, so this checks the whole
   * log. Returns the error to report if the log is sound: a disk that refuses to read is not damage.
   */
  leaveIfDamaged(error: unknown): unknown {
    if (error instanceof LostLog) this.leave(error)
    const isExpected = error instanceof CodedError
    if (!isExpected) console.error('unexpected', error)
    if (!isDamage(error) && (isExpected || this.log?.isSound() !== false)) return error
    const refusal = this.refusal()
    if (!refusal) this.leave(error)
    return unreadableLog(refusal)
  }

  /** Called before any client is served. The log's own text must be readable; otherwise the log is damaged. */
  async understood<T>(read: () => T | Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      if (isTornText(error)) this.leave(error)
      this.leaveIfDamaged(error)
      if (diskTroubleOf(error) || this.refusal()) this.leaveUnreadable(error)
      throw error
    }
  }

  private refusal(): Error | null {
    return readRefusal(sessionFiles(this.sessionDir).log)
  }

  /** Exits without a mark, so that the daemon tries again. */
  private leaveUnreadable(error: unknown): never {
    console.error('the log cannot be read now', error)
    process.exit(UNREADABLE_EXIT)
  }

  leave(error: unknown): never {
    console.error('the log is damaged', error)
    const found = error instanceof Error ? error.message : String(error)
    // The file at this path, if any, is not the log that this host wrote.
    if (!(error instanceof LostLog)) markDamaged(this.sessionDir, { logId: this.log?.logId ?? null, found })
    process.exit(DAMAGED_EXIT)
  }
}

/**
 * The end of a host whose log turns out to be damaged, or lost: nothing that it read or wrote can be trusted, so it leaves a
 * mark (of a lost one there is nothing to mark) and goes at once, like a host that died. Its guard ends the program; the next host sets the log aside and says so.
 */
import { CodedError } from '@roundhouse/backend-types'
import { diskTroubleOf, unreadableLog } from '../../files/disk-trouble'
import { UNREADABLE_EXIT } from '../../host-contract/launch-spec'
import { sessionFiles } from '../../host-contract/paths'
import { isDamage, readRefusal } from '../../log/broken-log'
import { markDamaged } from '../../log/damaged-mark'
import { LostLog } from '../../log/log-place'
import type { SessionLog } from '../../log/session-log'

/** Seen by whoever reads `host.log`; the daemon goes by the mark. */
export const DAMAGED_EXIT = 4

/** Text that cannot be parsed. */
const isTornText = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof Error && error.name === 'ZodError')

export class DamageWatch {
  private log: Pick<SessionLog, 'logId' | 'isSound'> | null = null

  constructor(private readonly sessionDir: string) {
    // Whatever is read of the log is read in the middle of other work: wherever that throws, it ends here.
    process.on('uncaughtException', (error) => {
      this.leaveIfDamaged(error)
      console.error(error)
      process.exit(1)
    })
  }

  /** Which log is meant from here on. */
  opened(log: Pick<SessionLog, 'logId' | 'isSound'>): void {
    this.log = log
  }

  /**
   * Of a surprise: a damaged page may hold what is wrong without being unreadable, so then all of the log is looked at.
   * Returns where it is none, with what to say of it: a disk that refuses to read is not damage.
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

  /** Before anybody is served: what the log says of itself is its own text, and where that cannot be understood it is damaged. */
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

  /** Without a mark: the daemon tries again. */
  private leaveUnreadable(error: unknown): never {
    console.error('the log cannot be read now', error)
    process.exit(UNREADABLE_EXIT)
  }

  leave(error: unknown): never {
    console.error('the log is damaged', error)
    const found = error instanceof Error ? error.message : String(error)
    // What lies there now, if anything, is not the log that this host wrote.
    if (!(error instanceof LostLog)) markDamaged(this.sessionDir, { logId: this.log?.logId ?? null, found })
    process.exit(DAMAGED_EXIT)
  }
}

/** The end of a host process: its log is closed, whoever is connected hears goodbye, and its files go. */
import { rmSync } from 'node:fs'
import { removeScratch } from '../files/scratch-folder'
import type { ByeReason } from '../host-contract/messages'
import type { SessionFiles } from '../host-contract/paths'
import type { SessionLog } from '../log/session-log'
import type { Guard } from '../processes/guard'
import type { DamageWatch } from './journal/leave-damaged'
import type { UnwrittenMark } from './journal/unwritten-mark'
import type { takeLock } from './lock'

export interface ExitParts {
  log: SessionLog
  damage: DamageWatch
  mark: UnwrittenMark
  guard: Guard
  files: SessionFiles
  scratchDir: string
  lock: ReturnType<typeof takeLock>
}

interface Bye {
  why: ByeReason
  message?: string
}

type Goodbye = (bye: Bye) => Promise<void>

export class HostExit {
  private finishing = false
  private readonly watches: Array<() => void> = []
  private readonly goodbyes: Goodbye[] = []

  constructor(private readonly parts: ExitParts) {}

  /** `stop` is called before anything else; `goodbye` once the log is closed. */
  ends(stop: () => void, goodbye: Goodbye): void {
    this.watches.push(stop)
    this.goodbyes.push(goodbye)
  }

  readonly finish = (why: ByeReason, message?: string): void => {
    if (this.finishing) return
    this.finishing = true
    const { log, damage, mark, guard, files, scratchDir, lock } = this.parts
    for (const stop of this.watches) stop()
    // No goodbye: the next host has to close what this one could not write.
    if (!closeQuietly(log, damage)) process.exit(4)
    mark.written()
    guard.dismiss()
    const bye = { why, ...(message === undefined ? {} : { message }) }
    void Promise.all(this.goodbyes.map((goodbye) => goodbye(bye))).finally(() => {
      // Only after a goodbye: a daemon that finds the file at its start knows that this host ended without one.
      rmSync(files.host, { force: true })
      removeScratch(scratchDir)
      lock.release()
      process.exit(0)
    })
  }
}

/** False if something is not written. */
function closeQuietly(log: SessionLog, damage: DamageWatch): boolean {
  try {
    log.close()
    return true
  } catch (error) {
    damage.leaveIfDamaged(error)
    console.error('could not close the log', error)
    return false
  }
}

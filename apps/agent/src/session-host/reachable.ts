/**
 * By its socket and its record a host is found by the next daemon (RES-1), and both lie where others may remove them. So it
 * looks after them, without opening a file where nothing changed.
 */
import { lstatSync } from 'node:fs'
import type { HostServer } from '../host-contract/server'
import type { HostRecordFile } from './program/host-record'

/** Much shorter than a daemon looks for it. */
const LOOK_EVERY_MS = 1_000

export class Reachable {
  private timer: NodeJS.Timeout | null = null
  private readonly held: string
  private stopped = false

  /** `lockFile`: the one that this host holds. */
  constructor(
    private readonly server: HostServer,
    private readonly record: HostRecordFile,
    private readonly lockFile: string,
  ) {
    this.held = inodeOf(lockFile)
  }

  watch(): void {
    if (this.stopped) return
    const tell = (error: unknown) => console.error('this host could not look after its socket and its record', error)
    this.timer = setTimeout(
      () =>
        void this.look()
          .catch(tell)
          .finally(() => this.watch()),
      LOOK_EVERY_MS,
    )
    this.timer.unref()
  }

  /** From now on nothing is written. */
  stop(): void {
    this.stopped = true
    if (this.timer) clearTimeout(this.timer)
  }

  private async look(): Promise<void> {
    // Its folder was erased, or replaced by a copy whose host is found at the same path.
    if (inodeOf(this.lockFile) !== this.held) return
    await this.server.keepPlace()
    if (!this.stopped) this.record.keep(this.server.socketPath)
  }
}

/** Nothing is opened: that would drop the lock. */
function inodeOf(file: string): string {
  try {
    const { dev, ino } = lstatSync(file)
    return `${dev} ${ino}`
  } catch {
    return ''
  }
}

/**
 * Keeps the host reachable: the next daemon finds it by its socket and its record (RES-1), and others may remove both.
 * Checks them without opening a file if nothing changed.
 */
import { lstatSync } from 'node:fs'
import type { HostServer } from '../host-contract/server'
import type { HostRecordFile } from '../processes/host-record'

/** Much shorter than the time that a daemon searches for a host. */
const LOOK_EVERY_MS = 1_000

export class Reachable {
  private timer: NodeJS.Timeout | null = null
  private readonly held: string
  private stopped = false

  /** `lockFile`: the file whose lock this host holds. */
  constructor(
    private readonly server: HostServer,
    private readonly record: HostRecordFile,
    private readonly lockFile: string,
    /** Beside the host's own socket. */
    private readonly keepMore: () => Promise<void>,
  ) {
    this.held = inodeOf(lockFile)
  }

  watch(): void {
    if (this.stopped) return
    const tell = (error: unknown) => console.error('could not check the socket and the record of this host', error)
    this.timer = setTimeout(
      () =>
        void this.look()
          .catch(tell)
          .finally(() => this.watch()),
      LOOK_EVERY_MS,
    )
    this.timer.unref()
  }

  /** Nothing is written after this. */
  stop(): void {
    this.stopped = true
    if (this.timer) clearTimeout(this.timer)
  }

  private async look(): Promise<void> {
    // The folder was erased, or replaced by a copy whose host uses the same path.
    if (inodeOf(this.lockFile) !== this.held) return
    await this.server.keepPlace()
    await this.keepMore()
    if (!this.stopped) this.record.keep(this.server.socketPath)
  }
}

/** Opens nothing: that would drop the lock. */
function inodeOf(file: string): string {
  try {
    const { dev, ino } = lstatSync(file)
    return `${dev} ${ino}`
  } catch {
    return ''
  }
}

/**
 * Whether the disk takes writes, as the daemon knows it (FLOW-4). A disk that does not is a state, never an end:
 *
 *   in order ─ a write is refused, or no room is left ─► full | failing ─ a probe and all that waits are written ─► in order
 *
 * Whatever could not be written waits here under its name and is written later, the latest of each name.
 */
import { statfsSync } from 'node:fs'
import path from 'node:path'
import { type DiskTrouble, type HostState, isLack } from '@roundhouse/backend-types'
import { diskTroubleOf } from '../../files/disk-trouble'
import type { LogLine } from '../../files/log-line'
import { probeWrite } from '../../files/write-durably'

/** As much must be written at once before the disk counts as in order. */
const PROBE_BYTES = 256 * 1024
const TRY_AGAIN_MS = 1_000

/** A host's own word on it. */
export const isPausedByDisk = (state: HostState | null): boolean =>
  state?.status.status === 'paused' && state.status.why === 'disk'

export interface DiskPorts {
  /** Writes and flushes so many bytes, and removes them. Throws what the system says. */
  probe(bytes: number): void
  /** Bytes that are free; null where the system does not say. */
  free(): number | null
  /** It is in order (null), or is not. */
  changed(trouble: DiskTrouble | null): void
  log: LogLine
}

export class DiskWatch {
  private current: DiskTrouble | null = null
  private readonly unwritten = new Map<string, () => void>()
  private timer: NodeJS.Timeout | null = null

  constructor(private readonly ports: DiskPorts) {}

  /** For the hub: said where there is something to say. */
  account(): { disk?: DiskTrouble } {
    return this.current === null ? {} : { disk: this.current }
  }

  /** With an error: where it is of another kind, it may still come from this. */
  mayBeWhy(error?: unknown): DiskTrouble | null {
    if (error !== undefined && !this.refused(error)) this.look(true)
    return this.current
  }

  /** For callers that write the same thing repeatedly. */
  guard(name: string): (work: () => void) => void {
    return (work) => this.write(name, work)
  }

  /** Writes now; where the disk refuses or no descriptor is left, again later, until it is written. Throws errors of any other kind. */
  write(name: string, work: () => void): void {
    try {
      work()
      this.unwritten.delete(name)
    } catch (error) {
      // Without a descriptor nothing is written either, and that passes as well; of the disk it says nothing.
      if (isLack(error)) this.later()
      else if (!this.refused(error)) throw error
      this.unwritten.set(name, work)
    }
  }

  /** True where it was the disk that refused. */
  refused(error: unknown): boolean {
    const trouble = diskTroubleOf(error)
    if (trouble === null) return false
    this.enter(trouble, error)
    return true
  }

  /** A host may be the first to be refused. */
  heard(state: HostState): void {
    if (isPausedByDisk(state)) this.look(true)
  }

  /** Now and then, and when somebody else was refused: a disk that nobody writes to fills up as well. */
  look(suspected = false): void {
    if (this.current !== null) return
    const free = this.ports.free()
    if (suspected || (free !== null && free < PROBE_BYTES)) this.probe()
  }

  /** A daemon that starts on a full disk stays. A file system that is read only waits for its owner. */
  probeAtStart(file: string): void {
    try {
      probeWrite(file)
    } catch (error) {
      if ((error as { code?: unknown }).code === 'EROFS' || !this.refused(error)) throw error
    }
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }

  private probe(): boolean {
    try {
      this.ports.probe(PROBE_BYTES)
      return true
    } catch (error) {
      // An error that is not a disk problem is the writer's own.
      return !this.refused(error)
    }
  }

  private enter(trouble: DiskTrouble, error: unknown): void {
    this.later()
    if (trouble === this.current) return
    this.current = trouble
    const what = trouble === 'full' ? 'the disk is full' : 'the disk refuses to write'
    const why = error instanceof Error ? error.message : String(error)
    this.ports.log(`${what} (${why}); new work is refused until it takes writes again`)
    this.ports.changed(trouble)
  }

  private later(): void {
    this.timer ??= setTimeout(() => this.again(), TRY_AGAIN_MS).unref()
  }

  private again(): void {
    this.timer = null
    if (!this.probe()) return
    for (const [name, work] of [...this.unwritten]) {
      if (!this.wrote(name, work)) return
    }
    if (this.current === null) return
    this.current = null
    this.ports.log('the disk takes writes again')
    this.ports.changed(null)
  }

  private wrote(name: string, work: () => void): boolean {
    try {
      this.write(name, work)
      return !this.unwritten.has(name)
    } catch (error) {
      this.unwritten.delete(name)
      this.ports.log(`${name} could not be written: ${String(error)}`)
      return true
    }
  }
}

/** The disk that this folder lies on. */
export function watchDisk(folder: string, changed: DiskPorts['changed'], log: LogLine): DiskWatch {
  const probe = (bytes: number) => probeWrite(path.join(folder, '.probe'), bytes)
  return new DiskWatch({ probe, free: () => freeBytes(folder), changed, log })
}

function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize, blocks } = statfsSync(folder)
    return blocks === 0 ? null : bavail * bsize
  } catch {
    return null
  }
}

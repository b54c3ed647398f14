/**
 * Tracks whether the disk takes writes (FLOW-4). A failing disk is a state of the daemon, and never a reason to exit:
 *
 *   in order ─ a write is refused, or no room is left ─► full | failing ─ a probe and all that waits are written ─► in order
 *
 * Writes that failed wait here under a name; the latest of each name is written later.
 */
import { statfsSync } from 'node:fs'
import path from 'node:path'
import { type DiskTrouble, type HostState, isLack } from '@roundhouse/backend-types'
import { diskTroubleOf } from '../../files/disk-trouble'
import type { LogLine } from '../../files/log-line'
import { probeWrite } from '../../files/write-durably'

/** A write of this size must succeed before the disk counts as in order. */
const PROBE_BYTES = 256 * 1024
const TRY_AGAIN_MS = 1_000

/** Whether a host itself reports a failing disk. */
export const isPausedByDisk = (state: HostState | null): boolean =>
  state?.status.status === 'paused' && state.status.why === 'disk'

export interface DiskPorts {
  /** Writes, flushes and removes this many bytes. Throws the system's error. */
  probe(bytes: number): void
  /** Free bytes; null if the system does not report them. */
  free(): number | null
  /** The state changed: null if the disk is in order. */
  changed(trouble: DiskTrouble | null): void
  log: LogLine
}

export class DiskWatch {
  private current: DiskTrouble | null = null
  private readonly unwritten = new Map<string, () => void>()
  private timer: NodeJS.Timeout | null = null

  constructor(private readonly ports: DiskPorts) {}

  /** For the hub; empty if there is nothing to report. */
  account(): { disk?: DiskTrouble } {
    return this.current === null ? {} : { disk: this.current }
  }

  /** With an error of another kind: the disk may still be its cause. */
  mayBeWhy(error?: unknown): DiskTrouble | null {
    if (error !== undefined && !this.refused(error)) this.look(true)
    return this.current
  }

  /** For callers that write the same thing repeatedly. */
  guard(name: string): (work: () => void) => void {
    return (work) => this.write(name, work)
  }

  /** Writes now. If the disk refuses or no descriptor is left, retries until it is written. Throws errors of any other kind. */
  write(name: string, work: () => void): void {
    try {
      work()
      this.unwritten.delete(name)
    } catch (error) {
      // A missing descriptor also prevents writes. It passes, and says nothing about the disk.
      if (isLack(error)) this.later()
      else if (!this.refused(error)) throw error
      this.unwritten.set(name, work)
    }
  }

  /** True if the disk refused. */
  refused(error: unknown): boolean {
    const trouble = diskTroubleOf(error)
    if (trouble === null) return false
    this.enter(trouble, error)
    return true
  }

  /** A host may be the first to notice. */
  heard(state: HostState): void {
    if (isPausedByDisk(state)) this.look(true)
  }

  /** Called from time to time, and when another part was refused: a disk can fill up without writes of this daemon. */
  look(suspected = false): void {
    if (this.current !== null) return
    const free = this.ports.free()
    if (suspected || (free !== null && free < PROBE_BYTES)) this.probe()
  }

  /** A daemon that starts on a full disk stays. On a read-only file system it waits for its owner. */
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
      // An error that is not a disk problem belongs to the writer.
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

/** Watches the disk of this folder. */
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

/** Passes the news of the log to whoever listens, in the order in which they came. */
import type { DiskTrouble, EventEnvelope } from '@roundhouse/backend-types'
import { diskTroubleOf } from '../files/disk-trouble'
import type { LogChange } from '../log/statements'

type Meta = NonNullable<LogChange['meta']>

export interface LogListener {
  appended?(bytes: number): void
  /** Everything up to `head` is on the disk, these events as the last. */
  committed?(head: number, events: readonly EventEnvelope[]): void
  keptMeta?(meta: Meta): void
  /** Why the disk refuses; null once it took everything again. */
  diskStalled?(disk: DiskTrouble | null): void
  pressure?(high: boolean): void
}

export class LogNews {
  private readonly listeners: LogListener[] = []
  private refused = false

  listen(...listeners: LogListener[]): void {
    this.listeners.push(...listeners)
  }

  readonly appended = (bytes: number): void => {
    for (const one of this.listeners) one.appended?.(bytes)
  }

  readonly committed = (head: number, events: readonly EventEnvelope[]): void => {
    for (const one of this.listeners) one.committed?.(head, events)
  }

  readonly keptMeta = (meta: Meta): void => {
    for (const one of this.listeners) one.keptMeta?.(meta)
  }

  readonly stalled = (stalled: boolean, error: unknown): void => {
    // Reported once, although the log tries again every second.
    if (stalled !== this.refused)
      console.error(stalled ? 'the log cannot be written' : 'the log is written again', error ?? '')
    this.refused = stalled
    // The error is no known problem of a disk, but the write failed.
    const disk = stalled ? (diskTroubleOf(error) ?? 'failing') : null
    for (const one of this.listeners) one.diskStalled?.(disk)
  }

  readonly pressure = (high: boolean): void => {
    for (const one of this.listeners) one.pressure?.(high)
  }
}

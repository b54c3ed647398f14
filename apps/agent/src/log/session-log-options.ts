/** The callbacks and options of a log's owner. */
import type { EventEnvelope } from '@roundhouse/backend-types'
import type { RebaseOrder } from '@roundhouse/delivery'
import type { Redactor } from '../redact/redactor'
import type { DamagedMark } from './damaged-mark'
import type { KnownLog } from './lost-log'
import type { LogChange } from './statements'

export interface SessionLogOptions {
  redact: Redactor
  now(): number
  /** What is remembered of this log elsewhere. If that is more than the file has, the log is lost and gets a new id. */
  known?: KnownLog | undefined
  /** The file was damaged and has this name now. */
  setAside?(file: string, error: unknown): void
  /** The writes contradict the file, or reach nobody (`LostLog`): this writer must end. */
  damaged?(error: unknown): void
  /** Bodies of this size received numbers. */
  appended?(bytes: number): void
  /** The doorbell: everything up to this number is on disk. `events` are the newest of them. */
  committed?(head: number, events: readonly EventEnvelope[]): void
  /** These rows of `meta` are on the disk. */
  keptMeta?(meta: NonNullable<LogChange['meta']>): void
  /** `true`: the disk refuses. `false`: it took everything. */
  stalled?(stalled: boolean, error: unknown): void
  /** Another writer holds the lease: this one is dead and must end. */
  fenced?(): void
  /** `true`: the queue is above its limit, so stop reading. `false`: continue. */
  pressure?(high: boolean): void
}

/** What is known of the log outside it (`landmarks.ts`). */
export interface RebaseEdit {
  withoutTold(events: readonly EventEnvelope[], order: RebaseOrder): EventEnvelope[]
  rebased(order: RebaseOrder, before: readonly EventEnvelope[], moved: readonly EventEnvelope[]): void
}

export interface OpenOptions extends SessionLogOptions {
  mark?: DamagedMark | null
  /** It replaces a damaged log. */
  replaces?: boolean
}

/** What whoever opens a log hears of it. */
import type { EventEnvelope } from '@roundhouse/backend-types'
import type { RebaseOrder } from '@roundhouse/delivery'
import type { Redactor } from '../redact/redactor'
import type { DamagedMark } from './damaged-mark'
import type { KnownLog } from './lost-log'
import type { LogChange } from './statements'

export interface SessionLogOptions {
  redact: Redactor
  now(): number
  /** What is remembered of this log elsewhere: where it is more than is found, the log is lost and gets a new id. */
  known?: KnownLog | undefined
  /** The file was damaged, and lies under this name now. */
  setAside?(file: string, error: unknown): void
  /** What is written contradicts what is there, or reaches nobody (`LostLog`): this writer must end. */
  damaged?(error: unknown): void
  /** So many bytes of bodies were given numbers. */
  appended?(bytes: number): void
  /** The doorbell: everything up to this number is on the disk, these as the last. */
  committed?(head: number, events: readonly EventEnvelope[]): void
  /** These rows of `meta` are on the disk. */
  keptMeta?(meta: NonNullable<LogChange['meta']>): void
  /** The disk refuses (`true`), or took everything again (`false`). */
  stalled?(stalled: boolean, error: unknown): void
  /** Somebody else holds the lease: this writer is dead and must end. */
  fenced?(): void
  /** More is queued than may be: stop reading (`true`), go on (`false`). */
  pressure?(high: boolean): void
}

/** What is known of the log beside it (`landmarks.ts`). */
export interface RebaseEdit {
  withoutTold(events: readonly EventEnvelope[], order: RebaseOrder): EventEnvelope[]
  rebased(order: RebaseOrder, before: readonly EventEnvelope[], moved: readonly EventEnvelope[]): void
}

export interface OpenOptions extends SessionLogOptions {
  mark?: DamagedMark | null
  /** It takes the place of one that was damaged. */
  replaces?: boolean
}

/** What the parts of a session need from the process around them, and from the host that joins them. */
import type { HostPolicy, LaunchSpec } from '../host-contract/launch-spec'
import type { ByeReason, HostMessage } from '../host-contract/messages'
import type { SessionFiles } from '../host-contract/paths'
import type { SessionLog } from '../log/session-log'
import type { ReadMarks } from '../processes/mark-reader'
import type { Redactor } from '../redact/redactor'
import type { Guard } from './program/guard'
import type { HostRecordFile } from './program/host-record'
import type { ResumeHint } from './settings/resume-hint'

/** What the process around it gives. */
export interface HostPorts {
  launch: LaunchSpec
  files: SessionFiles
  log: SessionLog
  redact: Redactor
  record: HostRecordFile
  guard: Guard
  hint: ResumeHint
  env: Record<string, string>
  /** For the temporary files of programs. */
  scratchDir: string
  readMarks: ReadMarks
  /** Adds to the values that are taken out of everything. */
  hide(credentials: readonly string[]): void
  broadcast(message: HostMessage): void
  /** All is written: the process may end. */
  ended(why: ByeReason, message?: string): void
  /** Whoever started this host is still on the way to it. */
  isAwaited(): boolean
  /** Ends this process where the log is why; otherwise what to say of it. */
  surprised(error: unknown): unknown
  now(): number
}

/** What only the host as a whole knows. */
export interface HostAsWhole {
  policy(): HostPolicy
  isClosing(): boolean
  /** Programs may start. */
  hasPlace(): boolean
  shutDown(why: 'idle' | 'shutdown' | 'deleted'): void
}

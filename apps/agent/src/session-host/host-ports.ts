/** What the parts of a session need from the process around them. */
import type { LaunchSpec } from '../host-contract/launch-spec'
import type { ByeReason, HostMessage } from '../host-contract/messages'
import type { SessionFiles } from '../host-contract/paths'
import type { Guard } from '../processes/guard'
import type { HostRecordFile } from '../processes/host-record'
import type { ReadMarks } from '../processes/mark-reader'
import type { Redactor } from '../redact/redactor'
import type { Journal } from './journal/journal'
import type { ResumeHint } from './settings/resume-hint'

/** For the programs that the host starts. */
export interface ProgramPorts {
  record: HostRecordFile
  guard: Guard
  env: Record<string, string>
  /** For the temporary files of programs. */
  scratchDir: string
  readMarks: ReadMarks
}

/** To the daemon, and whoever else is connected. */
export interface DaemonPorts {
  broadcast(message: HostMessage): void
  /** All is written: the process may end. */
  ended(why: ByeReason, message?: string): void
  /** Whoever started this host is still on the way to it. */
  isAwaited(): boolean
}

export interface HostPorts {
  launch: LaunchSpec
  files: SessionFiles
  /** The only one of its log. */
  journal: Journal
  redact: Redactor
  hint: ResumeHint
  programs: ProgramPorts
  daemon: DaemonPorts
  /** Adds to the values that are taken out of everything. */
  hide(credentials: readonly string[]): void
  /** Ends this process where the log is why; otherwise what to say of it. */
  surprised(error: unknown): unknown
  now(): number
}

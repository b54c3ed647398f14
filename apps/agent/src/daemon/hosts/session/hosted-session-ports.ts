/** The dependencies of `HostedSession`, by duty. */
import type { CommandAnswer, HostState, LiveFrame } from '@roundhouse/backend-types'
import type { RebaseOrder } from '@roundhouse/delivery'
import type { HostDoor } from '../../../host-contract/host-door'
import type { LaunchedHost } from '../../../host-contract/launch'
import type { AckedNews, HostLimits, HostPolicy } from '../../../host-contract/launch-spec'
import type { HostClass } from '../../../processes/classify'

/** The host before had said that its disk took no writes, or answered nobody: what its program printed may be missing. */
export interface Unwritten {
  unwritten?: true
  /** It was ended for a command that ends its program, so it did not die. */
  endAsked?: true
}

export type LaunchMode =
  | ({ mode: 'run'; waits?: boolean } & Unwritten)
  | ({ mode: 'close' } & Unwritten)
  | { mode: 'rebase'; rebase: RebaseOrder & { epoch: string; logId: string } }
  | { mode: 'prune'; limits: HostLimits }

/** Starts the processes of a session, finds them and ends them. */
export interface HostProcesses {
  /** To the host that was launched last; null where none ever was. */
  door(sessionId: string): HostDoor | null
  launch(sessionId: string, mode: LaunchMode): { door: HostDoor; host: LaunchedHost }
  /** `patienceMs`: how long it may take until a host that holds the session answers. */
  classify(sessionId: string, patienceMs?: number): Promise<HostClass>
  /** When the machine may start another process. */
  inStartTurn<T>(sessionId: string, work: () => Promise<T>): Promise<T>
  /** Ends all processes of the session; resolves when none is left. */
  reap(sessionId: string): Promise<void>
  keepOrphans(): boolean
}

/** What the daemon knows of a session's log, and learns anew when its writer has left. */
export interface SessionRecords {
  /** What the hub has taken of this session's log; null where nothing. */
  acked(sessionId: string): AckedNews | null
  head(sessionId: string, logId: string, head: number): void
  /** The log is no longer written: read again how far it goes, and in what state it was left. `moved`: it was rebased. */
  settled(sessionId: string, moved: boolean): void
  /** A host may have found its log damaged: true where it left word of that. */
  noticeMark(sessionId: string): boolean
  /** The log is damaged or lost its end, and no host has seen to that yet. */
  isBroken(sessionId: string): boolean
  /** Reports what a dead host left undone; it may have left prompts that have not started. */
  closed(sessionId: string): void
}

/** Receives what hosts say. */
export interface HostReports {
  state(state: HostState): void
  live(frames: LiveFrame[]): void
  news(sessionId: string, commandId: string, answer: CommandAnswer): void
  /** A host came or went. */
  changed(sessionId: string): void
  log(line: string): void
}

/** Removes a session from this machine. */
export interface SessionErasing {
  /** From now on there is no such session, whatever dies before it is erased. */
  begin(sessionId: string): void
  erase(sessionId: string): Promise<void>
}

export interface HostedSessionPorts {
  policy(): HostPolicy
  processes: HostProcesses
  records: SessionRecords
  reports: HostReports
  erasing: SessionErasing
}

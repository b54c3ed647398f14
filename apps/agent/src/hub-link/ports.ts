/** What the link needs from the daemon. The link knows sockets and numbers; the daemon knows sessions, hosts and files. */
import type {
  Command,
  CommandAnswer,
  ErrorBody,
  EventEnvelope,
  Hello,
  HostState,
  Question,
  SessionReport,
  Verdict,
} from '@roundhouse/backend-types'

export interface LinkIdentity {
  agentId: string
  hubUrl: string
  hubPublicKey: string
  sign(text: string): string
}

export interface CommandNewsItem {
  commandId: string
  sessionId: string
  answer: CommandAnswer
}

export interface EventsToSend {
  logId: string
  events: EventEnvelope[]
}

export type StreamTrouble =
  /** The hub holds another event under a number; `committed` is its head where it said so. */
  | { kind: 'conflict'; seq: number; committed?: number }
  /** The hub takes nothing more of this session on this connection. */
  | { kind: 'stopped'; error: ErrorBody }

export interface LinkPorts {
  identity: LinkIdentity
  /** JOIN-4. `write` returns when the value is on the disk. */
  chain: { read(): string; write(chain: string): void }
  hello(): Omit<Hello, 'chain' | 'now' | 'protocol'>
  /** LINK-2: the sessions that are live, un-acked, changed since the last completed hello, or acked under another epoch. */
  reports(hubEpoch: string): SessionReport[]
  /** One session; null when it is not here (any more). */
  report(sessionId: string): SessionReport | null
  /** Every page of reports was answered. */
  reported(): void
  /** Each verdict, before the stream follows it. `deleted`, `rebase` and `not_yours` are the daemon's to carry out. */
  verdict(verdict: Verdict): void
  head(sessionId: string): number
  /** One batch after that number, within the limits; null when the log is gone. */
  read(sessionId: string, after: number, limits: { maxEvents: number; maxBytes: number }): EventsToSend | null
  acked(sessionId: string, upTo: number, hubEpoch: string): void
  trouble(sessionId: string, trouble: StreamTrouble): void
  /** The latest state of each live session: repeated after every hello (LINK-5). */
  states(): HostState[]
  /** News of commands that the hub has not confirmed yet. */
  news(): CommandNewsItem[]
  newsDelivered(item: CommandNewsItem): void
  command(command: Command): Promise<CommandAnswer>
  cancel(sessionId: string, commandId: string): Promise<CommandAnswer>
  question(question: Question): Promise<unknown>
  /** `online` after the verdicts, `offline` when the connection is gone. */
  connected(connected: boolean): void
  log(line: string): void
}

/** What the link needs from the daemon. The link knows sockets and numbers; the daemon knows sessions, hosts and files. */
import type {
  AuditHead,
  Command,
  CommandAnswer,
  ErrorBody,
  EventEnvelope,
  Hello,
  HostState,
  Question,
  QuestionAnswer,
  QuestionKind,
  SessionReport,
  SoFar,
  Verdict,
  Waits,
} from '@roundhouse/backend-types'
import type { CommandNewsItem, LogPosition, RebaseOrder } from '@roundhouse/delivery'

export type { CommandNewsItem }

export interface LinkIdentity {
  agentId: string
  hubUrl: string
  hubPublicKey: string
  sign(text: string): string
}

export interface EventsToSend {
  logId: string
  events: EventEnvelope[]
  soFar?: SoFar
}

export interface ReadLimits {
  maxEvents: number
  maxBytes: number
}

/** What stands in a hello, and what has to be on the disk around it. */
export interface HelloPorts {
  /** JOIN-4. `write` returns when the value is on the disk. */
  chain: { read(): string; write(chain: string): void }
  /** Heads of the hub's audit log. `keep` returns when it is on the disk. */
  auditHeads: { kept(): AuditHead[]; keep(head: AuditHead): void }
  hello(): Omit<Hello, 'chain' | 'auditHeads' | 'now' | 'protocol'>
}

/** The sessions of this machine as the hub judges them. */
export interface ReportPorts {
  /** The epoch of the hub on the present connection; null: there is no connection any more. */
  present(hubEpoch: string | null): void
  /** LINK-2: the sessions that are live, un-acked, changed since the last completed hello, or acked under another epoch. */
  reports(hubEpoch: string): Iterable<SessionReport>
  /** One session; null when it is not here (any more). */
  report(sessionId: string): SessionReport | null
  /** Every page of reports was answered. */
  reported(): void
  /** Each verdict, before the stream follows it: `deleted` and `not_yours` are the daemon's to carry out. */
  verdict(verdict: Verdict): void
  /** `online` after the verdicts, `offline` when the connection is gone. */
  connected(connected: boolean): void
}

/** The logs that are sent. */
export interface LogPorts {
  /** The log's last number, and the last that a hub acked under which epoch; zeros where there is no log. */
  position(sessionId: string): LogPosition
  /** One batch after that number, reaching no further than `upTo`, holes filled; null when the log is gone. */
  read(sessionId: string, after: number, upTo: number, limits: ReadLimits): EventsToSend | null
  acked(sessionId: string, upTo: number, hubEpoch: string): void
  /** Resolves when the lease holder has moved the log and it reads as acked up to `order.to` (REB-1). */
  rebase(sessionId: string, order: RebaseOrder, hubEpoch: string): Promise<void>
  /** The hub takes nothing more of this session on this connection. */
  stopped(sessionId: string, error: ErrorBody): void
}

/** What is said beside the logs. */
export interface AccountPorts {
  /** The latest state of each live session: repeated after every hello (LINK-5). */
  states(): HostState[]
  /**
   * The last account of each session without a host of which it says more than the events, such as prompts that wait. Each
   * is read when it is asked for; null for one that was looked at in vain.
   */
  restingStates(): Iterable<HostState | null>
  /** What waits for a free place: said after every hello. */
  waits(): Waits
  /** News of commands that the hub has not confirmed yet. */
  news(): CommandNewsItem[]
  newsDelivered(item: CommandNewsItem): void
}

/** What the hub asks of this machine. */
export interface OrderPorts {
  /** Sessions that somebody looks at. */
  attention(sessionIds: readonly string[]): void
  command(command: Command): Promise<CommandAnswer>
  cancel(sessionId: string, commandId: string): Promise<CommandAnswer>
  question(question: Question): Promise<QuestionAnswer<QuestionKind>>
}

export interface LinkPorts extends HelloPorts, ReportPorts, LogPorts, AccountPorts, OrderPorts {
  identity: LinkIdentity
  log(line: string): void
}

/**
 * What the core needs of a store. Three ways in, by need:
 *
 * - `IngestTx`: synchronous steps inside a group commit, for the stream of events (STORE-2);
 * - `WriteTx`: one transaction of a person's action, behind the same gate (CMD-1);
 * - `SessionReads`: synchronous reads on a connection of their own, for snapshots, pages and lists.
 */
import type {
  AgentState,
  CommandKind,
  CommandState,
  PermissionAnswer,
  PermissionOutcome,
  StoredEvent,
} from '@roundhouse/backend-types'
import type { AuditEntry, ReturnedHead } from './audit-ports'
import type { FactorTx } from './factor-ports'
import type { ImageTx } from './image-ports'
import type { LoginTx } from './login-ports'
import type { EventsLimit, InboxLimit } from './page-limits'
import type { PeopleTx } from './people-ports'

// ---------------------------------------------------------------- rows

/** A command as the hub stored it. */
export interface GivenCommand {
  commandId: string
  sessionId: string
  kind: CommandKind
  /** JSON of the `CommandBody`. */
  body: string
  authorId: string
  authorName: string
  /** The event that it bears out already, of the kind that was asked for. */
  provenSeq: number | null
}

/** `projection`, `settings`, `contextUsage` and `status` are JSON texts; the core alone knows their shapes. */
export interface SessionRow {
  pk: number
  sessionId: string
  agentId: string
  createdAt: number
  createdBy: string | null
  title: string
  archived: boolean
  logId: string | null
  committed: number
  malformed: number
  blocked: boolean
  projection: string
  settings: string
  backend: string
  workDir: string
  status: string
  turnFailed: boolean
  lastLine: string
  cost: number
  contextUsage: string | null
  updatedAt: number
  /** It cannot be read as it was stored; what stands here is made up for what is missing. */
  damaged?: true
}
export type NewSession = Omit<SessionRow, 'pk' | 'damaged'>
export type SessionHead = Pick<SessionRow, 'pk' | 'agentId' | 'committed'>

/** What a batch of events may change on a session's row. */
export type StreamChange = Omit<NewSession, 'sessionId' | 'agentId' | 'createdAt' | 'createdBy' | 'archived'>

export interface RequestRow {
  requestId: string
  sessionPk: number
  sessionId: string
  agentId: string
  procId: string
  digest: string
  /** JSON of the `PermissionAsk`. */
  ask: string
  askedAt: number
  expiresAt: number | null
  decision: PermissionAnswer | null
  decidedBy: string | null
  deciderName: string | null
  decidedAt: number | null
  device: string | null
  reason: string | null
  commandId: string | null
  outcome: PermissionOutcome
  resolvedSeq: number | null
  /** State of the command that carries the decision. Read only. */
  commandState?: CommandState | null
  /** It cannot be read as it was stored. */
  damaged?: true
}

export interface CommandRow {
  commandId: string
  sessionId: string
  agentId: string
  cmdSeq: number | null
  kind: CommandKind
  /** JSON of the `CommandBody`; with `textLength`, the length of its text, it may have the beginning only (VIEW-9). */
  body: string
  textLength?: number
  state: CommandState
  authorId: string
  authorName: string
  /** Of the program that sent it; null: the person did. */
  tokenId: string | null
  createdAt: number
  expiresAt: number | null
  promptId: string | null
  requestId: string | null
  errorCode: string | null
  errorMessage: string | null
  dismissed: boolean
  damaged?: true
}

type CommandError = { code: string; message: string }

/** What of a command says whether its turn has come: its body is read when it leaves. */
export type DueRow = Pick<CommandRow, 'commandId' | 'sessionId' | 'cmdSeq' | 'state' | 'kind'>

export interface AgentRow {
  agentId: string
  name: string
  state: AgentState
  publicKey: string
  keyFingerprint: string
  createdAt: number
  createdBy: string | null
  lastSeenAt: number | null
  connEpoch: number
  /** JSON list of the chain values that the next hello may bring (JOIN-4). */
  chains: string
  chainEpoch: string
  clonedAt: number | null
  software: string | null
  platform: string | null
  manifest: string | null
  roots: string
  maxSandbox: string | null
  policyDigest: string | null
  policySummary: string | null
  pausedAt: number | null
  clockOffsetMs: number
}

/** Without what it says of its programs, which may be long and only its own page shows. */
export type MachineRow = Omit<AgentRow, 'manifest'>

export interface TokenRow {
  tokenId: string
  secretHash: string
  name: string | null
  createdBy: string
  createdAt: number
  expiresAt: number
  usedAt: number | null
  usedBy: string | null
  revokedAt: number | null
  wrongAttempts: number
  requireApproval: boolean
}

export interface HubRow {
  hubId: string
  hubEpoch: string
  publicKey: string
  privateKey: string
  revocationVersion: number
  starts: number
}

// ---------------------------------------------------------------- the stream of events

/** What a machine's connection changes of the machine's own row: at its handshake, and when it ends (LINK-2). */
export interface MachineTx {
  machine(agentId: string): MachineRow | undefined
  updateAgent(agentId: string, change: Partial<Omit<AgentRow, 'agentId'>>): void
  auditHeadsGiven(): number
  /** The newest of its machine and epoch stays. */
  keepReturnedHead(head: ReturnedHead & { count: number; returnedAt: number }): void
}

export interface IngestTx extends MachineTx {
  agent(agentId: string): { connEpoch: number; state: AgentState; name: string } | undefined
  session(sessionId: string): SessionRow | undefined
  countSessions(agentId: string): number
  /** Of the machine, or of one of its sessions: how many, and how long their texts are together. */
  openRequests(agentId: string, pk?: number): { count: number; bytes: number }
  isDeleted(sessionId: string): boolean
  insertSession(row: NewSession): SessionRow
  updateStream(pk: number, change: StreamChange): void
  hashAt(pk: number, seq: number): string | undefined
  /** `agentAt` is the agent's own clock, as it was sent. */
  appendEvent(pk: number, event: StoredEvent, agentAt: number): void
  request(requestId: string): RequestRow | undefined
  /** Does nothing when the id exists: whoever was first keeps it. */
  insertRequest(row: RequestRow): void
  /** Open, as this ask says, whatever had closed it. A decision stays. */
  reopenRequest(requestId: string, ask: string): void
  /** True when that command's decision stood there and the request was open. */
  emptyDecision(requestId: string, commandId: string): boolean
  closeRequest(requestId: string, outcome: PermissionOutcome, resolvedSeq: number | null): void
  /** Also those that only `state` ever told of. */
  closeOpenRequests(pk: number, outcome: PermissionOutcome, resolvedSeq: number): void
  command(commandId: string): { sessionId: string; state: CommandState; promptId: string | null } | undefined
  given(commandId: string, kind: string): GivenCommand | undefined
  /** It bears out the prompt at this number. */
  setProven(commandId: string, kind: string, seq: number): void
  promptEdits(sessionId: string, promptId: string): GivenCommand[]
  /** In this very transaction. */
  audit(entry: AuditEntry, at: number): void
  setCommandState(commandId: string, state: CommandState): void
  /** One conditional update: false when the command is not in `from` any more. */
  moveCommand(commandId: string, from: CommandState, to: CommandState, error?: CommandError): boolean
  /** Those that were accepted and began no turn (CMD-5). */
  refuseWaitingPrompts(sessionId: string, error: CommandError): void
  /** Sent and accepted commands of a session, for a rebase (REB-1). */
  unsettledCommands(sessionId: string): Array<{ commandId: string; state: CommandState }>
}

export interface IngestWriter {
  run<T>(weight: number, work: (tx: IngestTx) => T): Promise<T>
}

// ---------------------------------------------------------------- a person's action

export interface WriteTx extends PeopleTx, FactorTx, LoginTx, ImageTx {
  findAnswer(scope: string, key: string): Promise<{ bodyHash: string; answer: string } | null>
  keepAnswer(row: { scope: string; key: string; bodyHash: string; answer: string; createdAt: number }): Promise<void>
  forgetAnswersBefore(createdAt: number): Promise<void>
  audit(entry: AuditEntry, at: number): Promise<void>

  findSession(sessionId: string): Promise<SessionRow | null>
  insertSession(row: NewSession): Promise<SessionRow>
  organiseSession(
    sessionId: string,
    change: { title?: string | undefined; archived?: boolean | undefined },
  ): Promise<void>
  /** The next `cmdSeq` of the session, counted up. */
  takeCmdSeq(sessionId: string): Promise<number>
  deleteSession(tombstone: {
    sessionId: string
    sessionPk: number
    agentId: string
    deletedAt: number
    deletedBy: string
  }): Promise<void>

  insertCommand(row: CommandRow): Promise<void>
  /** One conditional update: false when the command is not in `from` any more. */
  moveCommand(commandId: string, from: CommandState, to: CommandState, error?: CommandError): Promise<boolean>
  dismissCommand(sessionId: string, commandId: string): Promise<boolean>
  cancelCommandsOfAgent(agentId: string): Promise<void>
  /** Every command in `from`, by one update (REB-2). */
  moveCommands(from: CommandState, to: CommandState): Promise<void>

  findRequest(requestId: string): Promise<RequestRow | null>
  /** One conditional update (PERM-1): false when somebody else was first, or the request is closed. */
  decideRequest(
    requestId: string,
    decision: {
      answer: PermissionAnswer
      userId: string
      userName: string
      at: number
      device: string | null
      reason: string | null
      commandId: string
    },
  ): Promise<boolean>
  /** True when that command's decision stood there and the request was open. */
  emptyDecision(requestId: string, commandId: string): Promise<boolean>
  orphanRequestsOfAgent(agentId: string): Promise<void>

  findAgent(agentId: string): Promise<AgentRow | null>
  insertAgent(row: AgentRow): Promise<void>
  updateAgent(agentId: string, change: Partial<Omit<AgentRow, 'agentId'>>): Promise<void>

  insertToken(row: TokenRow): Promise<void>
  findToken(tokenId: string): Promise<TokenRow | null>
  /** One conditional update: false when it was used, revoked or burnt meanwhile. */
  spendToken(tokenId: string, agentId: string, at: number): Promise<boolean>
  countWrongAttempt(tokenId: string): Promise<void>
  revokeToken(tokenId: string, at: number): Promise<void>
  /** Those that this person made and nobody used. */
  revokeTokensOf(userId: string, at: number): Promise<void>

  /** Of a machine now, or of one in former times: no other may come with it. */
  isKeyKnown(publicKey: string): Promise<boolean>
  retireKey(key: { publicKey: string; agentId: string; retiredAt: number }): Promise<void>
  retiredKeys(agentId: string): Promise<string[]>

  requiresApproval(): Promise<boolean>
  setRequiresApproval(requires: boolean): Promise<void>
  bumpRevocationVersion(): Promise<void>
  changeHubEpoch(hubEpoch: string): Promise<void>
  /** The newest row of the audit log, to be signed; counted. Null before there is one with a hash. */
  nextAuditHead(): Promise<{ id: number; hash: string; count: number } | null>
}

export interface Transactions {
  write<T>(work: (tx: WriteTx) => Promise<T>): Promise<T>
}

export interface SessionsFilter {
  limit: number
  /** Strictly older than this position of the order (updatedAt, pk). */
  before?: { updatedAt: number; pk: number } | undefined
  agentId?: string | undefined
  /** Of these machines alone; null: of all. */
  agentIds?: ReadonlySet<string> | null | undefined
  backend?: string | undefined
  status?: string | undefined
  /** Of these the row says `idle` although something runs beside their turns (SES-6): they count as `running`. */
  busyBeside?: readonly string[] | undefined
  text?: string | undefined
  archived?: boolean | undefined
}

export interface SessionReads {
  /** Everything read inside sees one state of the database (VIEW-1). */
  inOneRead<T>(work: () => T): T
  hub(): HubRow
  revocationVersion(): number
  /** Raised with whatever may take rights away from people, whoever wrote it (AUTH-1). */
  rightsVersion(): number
  /** Whether every machine that joins waits for a person. */
  requiresApproval(): boolean
  session(sessionId: string): SessionRow | undefined
  isDeleted(sessionId: string): boolean
  /** The last event is the one up to which the row says that all is there; if not, the row is given as damaged from then on. */
  isHeadWhole(sessionId: string): boolean
  head(sessionId: string): SessionHead | undefined
  /** For lists: `projection` and `settings` are left empty. */
  sessions(filter: SessionsFilter): SessionRow[]
  sessionIdsOfAgent(agentId: string): string[]
  /** Per session: how many requests wait for a person. */
  pendingCounts(pks: readonly number[]): Map<number, number>
  /** Open requests, and the last few that were decided and closed, oldest first. */
  requests(pk: number): RequestRow[]
  request(requestId: string): RequestRow | undefined
  /**
   * The newest of each machine, as many as that, in the order in which they came here: the first of each machine, then the
   * second of each. Of these machines alone; null: of all.
   */
  pendingRequests(limit: InboxLimit, agentIds: ReadonlySet<string> | null): RequestRow[]
  /** How many wait, by machine. */
  pendingByMachine(agentIds: ReadonlySet<string> | null): Map<string, number>
  /** Commands that a page still shows: unfinished ones and failures not yet dismissed. */
  commands(sessionId: string): CommandRow[]
  /** Pending and sent commands of one agent, oldest first. */
  dueCommands(agentId: string): DueRow[]
  dueCommandsOf(sessionId: string): DueRow[]
  /** Sessions whose deletion this machine refused, or never heard of. */
  undoneDeletions(agentId: string): string[]
  /** Not sent yet, of any machine. */
  pendingCommands(): CommandRow[]
  /** Unfinished commands past their time. */
  overdueCommands(now: number): CommandRow[]
  /** Accepted ones whose end no event tells, newest first. */
  unsettledCommands(madeBefore: number): CommandRow[]
  command(commandId: string): CommandRow | undefined
  given(commandId: string, kind: string): GivenCommand | undefined
  /** The edits of a prompt that waited, newest first. */
  promptEdits(sessionId: string, promptId: string): GivenCommand[]

  /** Upwards from after `after`. At least one event if there is one, whatever its size. */
  eventsAfter(pk: number, after: number, limit: EventsLimit): StoredEvent[]
  /** Downwards from before `before`, returned oldest first. */
  eventsBefore(pk: number, before: number, limit: EventsLimit): StoredEvent[]
  /** Events and bytes after `after`, counted no further than the limit. */
  measureAfter(pk: number, after: number, limit: EventsLimit): { events: number; bytes: number }

  agent(agentId: string): AgentRow | undefined
  /** Alone, for what is asked with every frame. */
  agentState(agentId: string): AgentState | undefined
  agents(): AgentRow[]
  machine(agentId: string): MachineRow | undefined
  /** One that cannot be read is left out. */
  machines(agentIds: Iterable<string>): MachineRow[]
  /** Of one machine, or of all that have any. */
  activeSessionCounts(agentId?: string): Map<string, number>
  token(tokenId: string): TokenRow | undefined
  tokens(limit: number): TokenRow[]
}

/** Deleting a transcript of any length, with its images, in short steps (SES-3). */
export interface Eraser {
  /** What tombstones still wait for. */
  undone(): number[]
  /** One step of it. False when nothing is left. */
  eraseSome(sessionPk: number): Promise<boolean>
}

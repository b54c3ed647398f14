/** What the core needs of a store to keep permission requests and their decisions. */
import type { CommandState, PermissionAnswer, PermissionOutcome } from '@roundhouse/backend-types'
import type { InboxLimit } from './page-limits'

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

export interface RequestStore {
  find(requestId: string): RequestRow | undefined
  /** Open requests, and the last few that were decided and closed, oldest first. */
  shown(pk: number): RequestRow[]
  /**
   * The newest of each machine, as many as that, in the order in which they came here: the first of each machine, then the
   * second of each. Of these machines alone; null: of all.
   */
  pending(limit: InboxLimit, agentIds: ReadonlySet<string> | null): RequestRow[]
  /** How many wait, by machine. */
  pendingByMachine(agentIds: ReadonlySet<string> | null): Map<string, number>
  /** Per session: how many requests wait for a person. */
  pendingBySession(pks: readonly number[]): Map<number, number>
}

export interface Decision {
  answer: PermissionAnswer
  userId: string
  userName: string
  at: number
  device: string | null
  reason: string | null
  commandId: string
}

/** In a person's transaction. */
export interface RequestWrites {
  find(requestId: string): Promise<RequestRow | null>
  /** One conditional update (PERM-1): false when somebody else was first, or the request is closed. */
  decide(requestId: string, decision: Decision): Promise<boolean>
  /** True when that command's decision stood there and the request was open. */
  emptyDecision(requestId: string, commandId: string): Promise<boolean>
  orphanOfMachine(agentId: string): Promise<void>
}

/** In a step of the event stream. */
export interface RequestSteps {
  find(requestId: string): RequestRow | undefined
  /** Of the machine, or of one of its sessions: how many, and how long their texts are together. */
  open(agentId: string, pk?: number): { count: number; bytes: number }
  /** Does nothing when the id exists: whoever was first keeps it. */
  insert(row: RequestRow): void
  /** Open, as this ask says, whatever had closed it. A decision stays. */
  reopen(requestId: string, ask: string): void
  /** True when that command's decision stood there and the request was open. */
  emptyDecision(requestId: string, commandId: string): boolean
  close(requestId: string, outcome: PermissionOutcome, resolvedSeq: number | null): void
  /** Also those that only `state` ever told of. */
  closeAllOpen(pk: number, outcome: PermissionOutcome, resolvedSeq: number): void
}

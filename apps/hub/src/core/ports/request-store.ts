/** What the core needs of a store to keep permission requests and their decisions. */
import type { CommandState, Decision, PermissionAsk, PermissionOutcome } from '@roundhouse/backend-types'
import type { InboxLimit } from './page-limits'

/** What a person decided; all null while nobody has. */
export interface RequestRegister {
  decision: Decision | null
  decidedBy: string | null
  deciderName: string | null
  decidedAt: number | null
  device: string | null
  reason: string | null
  commandId: string | null
}

/** What became of it, as its machine says. */
export interface RequestEnd {
  outcome: PermissionOutcome
  resolvedSeq: number | null
}

export interface RequestRow extends RequestRegister, RequestEnd {
  requestId: string
  sessionId: string
  agentId: string
  procId: string
  digest: string
  /** Null: it cannot be read. */
  ask: PermissionAsk | null
  askedAt: number
  expiresAt: number | null
  /** State of the command that carries the decision. Read only. */
  commandState?: CommandState | null
  /** It cannot be read as it was stored. */
  damaged?: true
}

/** As the event stream sees it. */
export type StreamRequest = Omit<RequestRow, 'commandState' | 'damaged'>
export type NewRequest = StreamRequest & { ask: PermissionAsk }

/** How many are open, and how long their texts are together. */
export interface OpenRequests {
  count: number
  bytes: number
}

export interface RequestStore {
  find(requestId: string): Promise<RequestRow | undefined>
  /** In no order. One that cannot be read is left out. */
  findMany(requestIds: readonly string[]): Promise<RequestRow[]>
  /** Open requests, and the last few that were decided and closed, oldest first. */
  shown(sessionId: string): Promise<RequestRow[]>
  /**
   * The newest of each machine, as many as that, in the order in which they came here: the first of each machine, then the
   * second of each. Of these machines alone; null: of all.
   */
  pending(limit: InboxLimit, agentIds: ReadonlySet<string> | null): Promise<RequestRow[]>
  /** How many wait, by machine. */
  pendingByMachine(agentIds: ReadonlySet<string> | null): Promise<Map<string, number>>
  /** By session: how many requests wait for a person. Without an entry where none does. */
  pendingBySession(sessionIds: readonly string[]): Promise<Map<string, number>>
}

export interface DecisionRecord {
  decision: Decision
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
  decide(requestId: string, decision: DecisionRecord): Promise<boolean>
  /** True when that command's decision stood there and the request was open. */
  emptyDecision(requestId: string, commandId: string): Promise<boolean>
  orphanOfMachine(agentId: string): Promise<void>
}

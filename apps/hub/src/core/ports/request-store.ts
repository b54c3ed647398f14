/** The store of permission requests and their decisions. */
import type { CommandState, Decision, PermissionAsk, PermissionOutcome } from '@roundhouse/backend-types'
import type { InboxLimit } from './page-limits'

/** A person's decision; all columns are null before it. */
export interface RequestRegister {
  decision: Decision | null
  decidedBy: string | null
  deciderName: string | null
  decidedAt: number | null
  device: string | null
  reason: string | null
  commandId: string | null
}

/** The outcome that the machine reported. */
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
  /** Null if it cannot be read. */
  ask: PermissionAsk | null
  askedAt: number
  expiresAt: number | null
  /** State of the command that carries the decision. Read only. */
  commandState?: CommandState | null
  /** The stored row cannot be read. */
  damaged?: true
}

/** The columns that the event stream needs. */
export type StreamRequest = Omit<RequestRow, 'commandState' | 'damaged'>
export type NewRequest = StreamRequest & { ask: PermissionAsk }

/** How many are open, and the total length of their texts. */
export interface OpenRequests {
  count: number
  bytes: number
}

export interface RequestStore {
  find(requestId: string): Promise<RequestRow | undefined>
  /** In no order, without unreadable ones. */
  findMany(requestIds: readonly string[]): Promise<RequestRow[]>
  /** Open requests, and the last few that were decided and closed, oldest first. */
  shown(sessionId: string): Promise<RequestRow[]>
  /**
   * The newest requests of each machine, up to the limit, in order of arrival: the first of each machine, then the
   * second of each. `agentIds` limits the machines; null: all.
   */
  pending(limit: InboxLimit, agentIds: ReadonlySet<string> | null): Promise<RequestRow[]>
  /** How many wait for a person, by machine. */
  pendingByMachine(agentIds: ReadonlySet<string> | null): Promise<Map<string, number>>
  /** How many wait for a person, by session. Sessions without any have no entry. */
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
  /** One conditional update (PERM-1). False if somebody else was first or the request is closed. */
  decide(requestId: string, decision: DecisionRecord): Promise<boolean>
  /** True if that command's decision was recorded and the request was open. */
  emptyDecision(requestId: string, commandId: string): Promise<boolean>
  orphanOfMachine(agentId: string): Promise<void>
}

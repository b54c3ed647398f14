/**
 * What a decision about the stream of events changes: operations in order, each a plain value. Sessions are named by their ids; a
 * store knows its own keys.
 */
import type { CommandState, PermissionAsk, PermissionOutcome, StoredEvent } from '@roundhouse/backend-types'
import type { AuditEntry, ReturnedHead } from './audit-store'
import type { CommandError } from './command-store'
import type { MachineChange } from './machine-store'
import type { NewRequest } from './request-store'
import type { NewSession, StreamChange } from './session-store'

export type Change = readonly Operation[]

/** `agentAt` is the agent's own clock, as it was sent. */
export interface AppendedEvent {
  event: StoredEvent
  agentAt: number
}

export type Operation =
  | { op: 'session.insert'; row: NewSession }
  | { op: 'session.update'; sessionId: string; change: StreamChange }
  /** At least one, in order, with a position of their own (`append-store.ts`). */
  | { op: 'events.append'; sessionId: string; events: readonly AppendedEvent[] }
  | { op: 'command.setState'; commandId: string; state: CommandState }
  /** From this state alone, which the decision saw. */
  | { op: 'command.move'; commandId: string; from: CommandState; to: CommandState; error: CommandError | null }
  /** It bears out the event of this kind at this number, unless it does another already. */
  | { op: 'command.prove'; commandId: string; kind: string; seq: number }
  /** Those that were accepted and began no turn (CMD-5). */
  | { op: 'commands.refuseWaitingPrompts'; sessionId: string; error: CommandError }
  /** Nothing where the id exists: whoever was first keeps it. */
  | { op: 'request.insert'; row: NewRequest }
  /** Open, whatever had closed it; as this ask says, or as it was asked. A decision stays. */
  | { op: 'request.reopen'; requestId: string; ask?: PermissionAsk }
  /** Only while that command's decision stands there and the request is open, which the decision saw. */
  | { op: 'request.emptyDecision'; requestId: string; commandId: string }
  | { op: 'request.close'; requestId: string; outcome: PermissionOutcome; resolvedSeq: number | null }
  /** Also those that only `state` ever told of. */
  | { op: 'requests.closeAllOpen'; sessionId: string; outcome: PermissionOutcome; resolvedSeq: number }
  | { op: 'machine.update'; agentId: string; change: MachineChange }
  /** The store gives its number and its hash, which follow the last row's. */
  | { op: 'audit.append'; entry: AuditEntry; at: number }
  /** The newest of its machine and epoch stays. */
  | { op: 'audit.keepReturnedHead'; head: ReturnedHead & { count: number; returnedAt: number } }

export type OperationOf<K extends Operation['op']> = Extract<Operation, { op: K }>

/**
 * The changes of a decision about the stream of events: operations in order, each a plain value. They name sessions by
 * id; a store knows its own keys.
 */
import type { CommandState, PermissionAsk, PermissionOutcome, StoredEvent } from '@roundhouse/backend-types'
import type { AuditEntry, ReturnedHead } from '../audit-store'
import type { CommandError } from '../command-store'
import type { MachineChange } from '../machine-store'
import type { NewRequest } from '../request-store'
import type { NewSession, StreamChange } from '../session-store'

export type Change = readonly Operation[]

/** `agentAt`: the agent's own clock, as sent. */
export interface AppendedEvent {
  event: StoredEvent
  agentAt: number
}

export type Operation =
  | { op: 'session.insert'; row: NewSession }
  | { op: 'session.update'; sessionId: string; change: StreamChange }
  /** At least one, in order. They get a position of their own (`append-store.ts`). */
  | { op: 'events.append'; sessionId: string; events: readonly AppendedEvent[] }
  | { op: 'command.setState'; commandId: string; state: CommandState }
  /** Only from this state, which the decision saw. */
  | { op: 'command.move'; commandId: string; from: CommandState; to: CommandState; error: CommandError | null }
  /** Records that it proves the event of this kind at this number, unless it proves another already. */
  | { op: 'command.prove'; commandId: string; kind: string; seq: number }
  /** Accepted prompts that began no turn (CMD-5). */
  | { op: 'commands.refuseWaitingPrompts'; sessionId: string; error: CommandError }
  /** Does nothing if the id exists: its first owner keeps it. */
  | { op: 'request.insert'; row: NewRequest }
  /** Open, whatever had closed it; as this ask says, or as it was asked. A decision stays. */
  | { op: 'request.reopen'; requestId: string; ask?: PermissionAsk }
  /** Only while that command's decision is recorded and the request is open, which the decision saw. */
  | { op: 'request.emptyDecision'; requestId: string; commandId: string }
  | { op: 'request.close'; requestId: string; outcome: PermissionOutcome; resolvedSeq: number | null }
  /** Includes requests that only `state` reported. */
  | { op: 'requests.closeAllOpen'; sessionId: string; outcome: PermissionOutcome; resolvedSeq: number }
  | { op: 'machine.update'; agentId: string; change: MachineChange }
  /** The store assigns its number and its hash, which continue the last row's. */
  | { op: 'audit.append'; entry: AuditEntry; at: number }
  /** Keeps the newest head per machine and epoch. */
  | { op: 'audit.keepReturnedHead'; head: ReturnedHead & { count: number; returnedAt: number } }

export type OperationOf<K extends Operation['op']> = Extract<Operation, { op: K }>

/**
 * The events that close a process that is gone, and everything that it left open, in one transaction (LOG-7, RES-2,
 * PERM-3): the unfinished blocks, `process_exited`, the open calls and requests, the turn. They are the same for a
 * crash that the host saw, an end on purpose, and a dead host's process.
 */
import type { SessionEvent, SessionEventOf } from '@roundhouse/backend-types'
import {
  type CrashKind,
  closeAfterCrash,
  openWorkOf,
  type PermissionLedger,
  type SessionProjection,
} from '@roundhouse/delivery'
import type { LogChange } from '../../log/statements'
import type { SpooledBlock } from '../journal/spool'
import { partialEvents } from '../output/partial-events'
import { processKey } from '../program/program-runner'

export interface ProcessEnd {
  procId: string
  exit: Pick<SessionEventOf<'process_exited'>, 'code' | 'signal' | 'stderrTail' | 'cause' | 'error'>
  kind: CrashKind
  /** The prompt was handed over and nothing came back. */
  silent: boolean
  commandId?: string | undefined
  blocks: readonly SpooledBlock[]
  ledger: PermissionLedger
}

export function closingEvents(projection: SessionProjection, end: ProcessEnd): SessionEvent[] {
  const { procId, exit, silent, commandId, ledger } = end
  const turn = projection.turnId === null ? {} : { turnId: projection.turnId }
  return [
    ...partialEvents(end.blocks),
    { kind: 'process_exited', procId, ...turn, ...exit },
    ...closeAfterCrash(openWorkOf(projection, { procId, silent, commandId, ledger }), end.kind),
  ]
}

/** What helpers had open when their program was ended on purpose between two turns. */
export function beside(projection: SessionProjection, procId: string, ledger: PermissionLedger): SessionEvent[] {
  const open = openWorkOf(projection, { procId, silent: false, ledger })
  return closeAfterCrash({ ...open, turnId: null }, 'stopped')
}

/** Decisions that were being applied: nobody can know whether the process received them (CMD-3). */
export function unknownDecisions(ledger: PermissionLedger, procId: string): NonNullable<LogChange['moved']> {
  return Object.values(ledger).flatMap(({ ask, applying }) =>
    ask.procId === procId && applying?.commandId ? [{ commandId: applying.commandId, state: 'outcome_unknown' }] : [],
  )
}

export const noProcess: Pick<LogChange, 'meta'> = { meta: { [processKey]: null } }

/** Merges the parts of one transaction. */
export function mergeChanges(...changes: LogChange[]): LogChange {
  const merged: LogChange = {}
  for (const change of changes) {
    merged.received = [...(merged.received ?? []), ...(change.received ?? [])]
    merged.moved = [...(merged.moved ?? []), ...(change.moved ?? [])]
    merged.requests = [...(merged.requests ?? []), ...(change.requests ?? [])]
    merged.grants = [...(merged.grants ?? []), ...(change.grants ?? [])]
    merged.meta = { ...merged.meta, ...change.meta }
  }
  return merged
}

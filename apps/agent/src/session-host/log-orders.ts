/** What the daemon orders for a log at rest: that it moves behind what the hub holds, or loses its beginning. */
import type { LaunchSpec } from '../host-contract/launch-spec'
import type { SessionLog } from '../log/session-log'
import type { LogChange } from '../log/statements'
import type { Acks } from './journal/acks'
import type { Journal } from './journal/journal'
import type { LandmarkFile } from './journal/landmark-file'
import type { Pruner } from './journal/pruner'
import { elsewhereFromKey } from './recovery/elsewhere'
import { queueKey } from './turns/turn'

type RebaseOrder = NonNullable<LaunchSpec['rebase']>

/** False if the log was lost or damaged meanwhile: the daemon must first ask the hub what it holds of the current log. */
export function isOrderFor(logId: string, order: LaunchSpec['rebase']): order is RebaseOrder {
  return order !== undefined && (order.logId === '' || order.logId === logId)
}

/**
 * Accepted and unfinished commands cannot be told apart from those that ran in the lost part, so none runs again
 * (REB-1). Nothing may be open behind the gap, because people see nothing open there.
 */
export function rebase(journal: Journal, order: RebaseOrder, landmarks: LandmarkFile): void {
  const { log, projection } = journal
  const unfinished = log.rows.unfinishedCommands()
  const closed = { ...projection, turnId: null, openCalls: {}, requests: {}, grants: [] }
  const change = (seq: number): LogChange => ({
    moved: unfinished.map(({ commandId }) => ({ commandId, state: 'outcome_unknown' })),
    grants: log.rows.grants().map(({ grantId }) => ({ grantId, row: null })),
    // The hub may have what the transcript holds until now (RES-9).
    meta: { [queueKey]: null, [elsewhereFromKey]: String(seq), projection: JSON.stringify({ ...closed, seq }) },
  })
  log.rebase(order, order.epoch, change, landmarks)
  journal.reread()
}

/** Applies to the log that the daemon remembers, whatever log is there now. */
export function ackedOf({ known, acked }: LaunchSpec): number {
  return known !== undefined && acked?.logId === known.logId ? acked.upTo : 0
}

/** REB-3: prunes to the end, because nobody waits for this host. */
export async function pruneAll(log: SessionLog, pruner: Pruner, acks: Acks): Promise<void> {
  while (pruner.step(acks.current.upTo)) await new Promise((resolve) => setImmediate(resolve))
  log.compact()
}

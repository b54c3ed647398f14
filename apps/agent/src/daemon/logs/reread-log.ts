/**
 * Updates the index from a log: its end, and how far the hub has stored it. The index may know a later ack, because the log
 * learns of acks only while a host runs. A different log makes the index's entry void.
 */
import { laterAcked } from '../../log/acked'
import { isLost } from '../../log/lost-log'
import type { LogReader } from '../../log/reader'
import type { SessionRow } from './index-file'
import { saysMore } from './says-more'
import type { SessionIndex } from './session-index'
import type { SessionLogs } from './session-logs'

/** How many results of a session are sent to the hub again, because it may have missed them. */
export const RECENT_ANSWERS = 20

/** Null if nothing can be read. */
export function rereadLog(index: SessionIndex, logs: SessionLogs, sessionId: string): SessionRow | null {
  const said = logs.ask(sessionId, (log) => ({ ...log.found(), acked: log.acked(), state: log.lastState() }))
  if (!said) return null
  const { logId, head: last, acked: own, state } = said
  const row = index.get(sessionId)
  const acked = row?.logId === logId ? laterAcked(own, { upTo: row.acked, epoch: row.ackedEpoch || own.epoch }) : own
  const stamp = logs.stamp(sessionId)
  const known = { acked: acked.upTo, ackedEpoch: acked.epoch, changed: true, stamp, saysMore: saysMore(state) }
  return index.put(sessionId, { logId, last, ...known })
}

/** The next host gives it a new id. Until then nothing may be reported under the old one (REB-1). */
export function isLostHere(index: SessionIndex, logs: SessionLogs, sessionId: string): boolean {
  const row = index.get(sessionId)
  if (!row) return false
  const found = logs.ask(sessionId, (log: LogReader) => log.found())
  // An existing log that may not be read is not lost (T24), and a damaged one is being repaired already.
  if (found === null && logs.exists(sessionId)) return false
  return isLost(row, found)
}

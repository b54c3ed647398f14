/**
 * Takes into the index what a log itself says: how far it goes, and how far the hub has taken it. The index may know of a
 * later acknowledgement, since the log is told only while a host runs; of another log it knows nothing.
 */
import { laterAcked } from '../log/acked'
import { isBrokenLog } from '../log/broken-log'
import { type FoundLog, isLost } from '../log/lost-log'
import type { LogReader } from '../log/reader'
import type { SessionIndex, SessionRow } from './session-index'
import type { SessionLogs } from './session-logs'

export function rereadLog(index: SessionIndex, logs: SessionLogs, sessionId: string, reader: LogReader): SessionRow {
  const { logId, head: last } = reader.found()
  const row = index.get(sessionId)
  const own = reader.acked()
  const acked = row?.logId === logId ? laterAcked(own, { upTo: row.acked, epoch: row.ackedEpoch || own.epoch }) : own
  const stamp = logs.stamp(sessionId)
  return index.put(sessionId, { logId, last, acked: acked.upTo, ackedEpoch: acked.epoch, changed: true, stamp })
}

/** Its next host makes it a new log; until then nothing of it may be reported as what it was (REB-1). */
export function isLostHere(index: SessionIndex, logs: SessionLogs, sessionId: string): boolean {
  const row = index.get(sessionId)
  if (!row) return false
  const reader = logs.reader(sessionId)
  // One that is there and may not be read is no lost one (T24); one that is no log at all is.
  if (reader === null && logs.exists(sessionId) && !logs.isBroken(sessionId)) return false
  return isLost(row, foundIn(reader))
}

/** Null where there is none, or nothing of it can be read. */
function foundIn(reader: LogReader | null): FoundLog | null {
  try {
    return reader?.found() ?? null
  } catch (error) {
    if (isBrokenLog(error)) return null
    throw error
  }
}

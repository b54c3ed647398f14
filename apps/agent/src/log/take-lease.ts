/** Takes a log's lease, and with it the log's identity, before the first write (LOG-1, REB-1). */
import type Database from 'better-sqlite3'
import { formerLogIdsKey, identityOf, type KnownLog, parseFormerLogIds, sessionKey } from './lost-log'
import { DamagedRow } from './rows'
import { LOG_SCHEMA_VERSION } from './schema'
import type { LogChange, LogStatements } from './statements'

export interface Lease {
  logId: string
  leaseToken: number
}

interface LeaseOptions {
  sessionId: string
  known?: KnownLog | undefined
  /** It replaces a damaged log. */
  replaces?: boolean
}

/** Throws `DamagedRow` if the log has lost its id or belongs to another session. */
export function takeLease(db: Database.Database, rows: LogStatements, options: LeaseOptions): Lease {
  return db
    .transaction(() => {
      const leaseToken = Number(rows.meta('leaseToken') ?? 0) + 1
      const { logId, meta } = identityIn(rows, options)
      const own = {
        leaseToken: String(leaseToken),
        schema: String(LOG_SCHEMA_VERSION),
        [sessionKey]: options.sessionId,
      }
      rows.apply({ meta: { ...meta, logId, ...own } })
      return { logId, leaseToken }
    })
    .immediate()
}

/** Returns its id, or a new one if it is lost. The log then says so until the commands of the lost time are closed. */
function identityIn(
  rows: LogStatements,
  { sessionId, known, replaces }: LeaseOptions,
): { logId: string; meta: NonNullable<LogChange['meta']> } {
  const whose = rows.meta(sessionKey)
  if (whose !== null && whose !== sessionId) throw new DamagedRow(`the log is that of ${whose}`)
  const logId = rows.meta('logId')
  const head = rows.head()
  if (logId === null && head > 0) throw new DamagedRow('the log lost its name')
  const formerLogIds = parseFormerLogIds(rows.meta(formerLogIdsKey))
  return identityOf(logId === null ? null : { logId, head, formerLogIds }, known, replaces === true)
}

/** Looks up the sessions that a machine reports: all in one query, or one at a time if that query fails. */
import type { KeptSession, SessionRow } from '../../../core/ports/session-store'
import type { Connection } from '../file/connections'
import { readable } from '../rows/row-by-row'
import { keptColumns } from '../rows/rows'
import type { RawSession } from '../rows/session-rows'
import { orDamaged } from './damaged-sessions'

interface Alone {
  /** Throws where nobody can know whether there is one. */
  find: (sessionId: string) => SessionRow | undefined
  isHeadWhole: (sessionId: string) => boolean
  /** The row as it is given, where it does not fit what is stored of the session. */
  fitting: (row: SessionRow) => SessionRow
}

export function createKeptReads(db: Connection, { find, isHeadWhole, fitting }: Alone) {
  const among = 'IN (SELECT value FROM json_each(?))'
  const rowsOf = db.prepare<[string], RawSession>(`SELECT ${keptColumns} FROM Session WHERE sessionId ${among}`)
  const deletedOf = db.prepare<[string], string>(`SELECT sessionId FROM Tombstone WHERE sessionId ${among}`).pluck()
  const lastEvents = db.prepare<[string], { pk: number; last: number | null }>(
    'SELECT value AS pk, (SELECT max(seq) FROM Event WHERE sessionPk = value) AS last FROM json_each(?)',
  )
  const deleted = db.prepare<[string], object>('SELECT 1 FROM Tombstone WHERE sessionId = ?')

  function alone(sessionId: string): KeptSession {
    try {
      const row = find(sessionId)
      if (row?.damaged || !isHeadWhole(sessionId)) return { state: 'damaged', cause: 'its row or its last event' }
      return row ? { state: 'here', row } : { state: deleted.get(sessionId) ? 'deleted' : 'unknown' }
    } catch (cause) {
      return { state: 'damaged', cause }
    }
  }

  /** Undefined where not all of it can be read at once. */
  const together = (sessionIds: readonly string[]): KeptSession[] | undefined =>
    readable(() => {
      const named = JSON.stringify(sessionIds)
      const raws = new Map(rowsOf.all(named).map((raw) => [raw.sessionId, raw]))
      const pks = JSON.stringify([...raws.values()].map(({ pk }) => pk))
      const lasts = new Map(lastEvents.all(pks).map(({ pk, last }) => [pk, last ?? 0]))
      const gone = new Set(deletedOf.all(named))
      return sessionIds.map((sessionId): KeptSession => {
        const raw = raws.get(sessionId)
        if (!raw) return { state: gone.has(sessionId) ? 'deleted' : 'unknown' }
        const row = fitting(orDamaged(raw, raw))
        const isPlain = !row.damaged && lasts.get(raw.pk) === row.committed
        return isPlain ? { state: 'here', row } : alone(sessionId)
      })
    })

  return (sessionIds: readonly string[]): Map<string, KeptSession> => {
    const kept = together(sessionIds) ?? sessionIds.map(alone)
    return new Map(sessionIds.map((sessionId, index) => [sessionId, kept[index] as KeptSession]))
  }
}

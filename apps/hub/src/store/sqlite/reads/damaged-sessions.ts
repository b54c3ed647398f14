/**
 * Reads lists of sessions when a page of the list is damaged: one row at a time, and of a damaged row everything that is
 * readable.
 */

import type { SessionRow } from '../../../core/ports/session-store'
import { asDamaged } from '../../../core/views/damaged-row'
import type { Connection } from '../file/connections'
import { readable } from '../rows/row-by-row'
import { listedColumns, sessionColumns } from '../rows/rows'
import { type RawSession, readParts, toSession } from '../rows/session-rows'
import type { ListedSession, SessionPlace, WantedSessions } from './sessions-cursor'

export function createDamagedSessions(db: Connection) {
  const one = db.prepare<[number], RawSession>(`SELECT ${listedColumns} FROM Session WHERE pk = ?`)
  const whole = db.prepare<[number], RawSession>(`SELECT ${sessionColumns} FROM Session WHERE pk = ?`)
  // By their indexes alone.
  const ordered = db.prepare<[], { pk: number; updatedAt: number }>(
    'SELECT pk, updatedAt FROM Session INDEXED BY Session_updatedAt_pk_idx ORDER BY updatedAt DESC, pk DESC',
  )
  const names = db.prepare<[], { pk: number; sessionId: string }>(
    'SELECT pk, sessionId FROM Session INDEXED BY Session_sessionId_key',
  )
  const named = db
    .prepare<[string], number>('SELECT pk FROM Session INDEXED BY Session_sessionId_key WHERE sessionId = ?')
    .pluck()

  const ofAgent = db
    .prepare<[string], number>('SELECT pk FROM Session INDEXED BY Session_agentId_idx WHERE agentId = ?')
    .pluck()
  const allNames = () => new Map(readable(() => names.all())?.map(({ pk, sessionId }) => [pk, sessionId]))

  return {
    idsOfAgent(agentId: string): string[] {
      const ids = allNames()
      return (readable(() => ofAgent.all(agentId)) ?? []).flatMap((pk) => ids.get(pk) ?? [])
    },
    /** Undefined: there is none. Throws where that cannot be known: somebody would begin it anew, or call it gone. */
    session(sessionId: string): SessionRow | undefined {
      const pk = named.get(sessionId)
      if (pk === undefined) return undefined
      return orDamaged(
        readable(() => whole.get(pk)),
        { sessionId },
      )
    },
    sessions(filter: WantedSessions): ListedSession[] {
      const ids = allNames()
      const order = readable(() => ordered.all()) ?? [...ids.keys()].map((pk) => ({ pk, updatedAt: 0 })).reverse()
      const page: ListedSession[] = []
      for (const { pk, updatedAt } of order) {
        if (page.length > filter.limit) break
        if (filter.before && !isBelow({ updatedAt, pk }, filter.before)) continue
        const row = orDamaged(
          readable(() => one.get(pk)),
          { updatedAt, sessionId: ids.get(pk) ?? '' },
        )
        if (row.sessionId !== '' && isWanted(row, filter)) page.push({ row, pk })
      }
      return page
    },
  }
}

/** What an index says of a row stands in the place of what the row does not say. */
export function orDamaged(raw: RawSession | undefined, known: { sessionId: string; updatedAt?: number }): SessionRow {
  return (raw && readable(() => toSession(raw))) ?? asDamaged({ ...(raw && readParts(raw)), ...known })
}

const isBelow = (a: SessionPlace, b: SessionPlace) =>
  a.updatedAt < b.updatedAt || (a.updatedAt === b.updatedAt && a.pk < b.pk)

/** As the statement of the list would judge. */
function isWanted(row: SessionRow, filter: WantedSessions): boolean {
  const { agentId, agentIds, backend, status, archived, text, runs } = filter
  const isEnded = filter.endedOn?.has(row.agentId) === true
  const shown = isEnded ? 'ended' : (filter.shownAs?.get(row.sessionId) ?? row.status.status)
  const words = `${row.title}\n${row.lastLine}\n${row.workDir}`.toLowerCase()
  return (
    (agentId === undefined || row.agentId === agentId) &&
    (!agentIds || agentIds.has(row.agentId)) &&
    (backend === undefined || row.backend === backend) &&
    (status === undefined || shown === status) &&
    (archived === undefined || row.archived === archived) &&
    (runs === undefined || (row.onPermission !== null) === runs) &&
    (text === undefined || words.includes(text.toLowerCase()))
  )
}

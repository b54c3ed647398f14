/** Pages of the list of sessions: a cursor is a position in the order (updatedAt, pk), downwards. */
import { CodedError } from '@roundhouse/backend-types'
import type { SessionRow, SessionsFilter, SessionsPage } from '../../../core/ports/session-store'

export interface SessionPlace {
  updatedAt: number
  pk: number
}

export interface WantedSessions extends Omit<SessionsFilter, 'cursor'> {
  /** Strictly older than this. */
  before: SessionPlace | undefined
}

export interface ListedSession {
  row: SessionRow
  pk: number
}

export function readCursor(cursor: string | undefined): SessionPlace | undefined {
  if (cursor === undefined) return undefined
  const [, updatedAt, pk] = /^(\d{1,16})\.(\d{1,16})$/.exec(cursor) ?? []
  if (updatedAt === undefined || pk === undefined) throw new CodedError('INVALID_ARGUMENT', 'cursor: not one of ours')
  return { updatedAt: Number(updatedAt), pk: Number(pk) }
}

/** `found` is one longer where another page follows. */
export function pageOf(
  found: readonly ListedSession[],
  limit: number,
  fitting: (row: SessionRow) => SessionRow,
): SessionsPage {
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const next = found.length > limit && last ? `${last.row.updatedAt}.${last.pk}` : null
  return { rows: page.map(({ row }) => fitting(row)), next }
}

/** Questions as pages show them. One that is not whole is marked on the page of its session, and stands in no list. */
import type { InboxLimit } from '../../../core/ports/page-limits'
import type { RequestStore } from '../../../core/ports/request-store'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import { pendingNumbers, pendingStatements, requestsBy } from '../rows/pending-statements'
import { isWholeRequest, markedRequest, type RawRequest, toRequest } from '../rows/request-rows'
import { readable, rowByRow } from '../rows/row-by-row'
import { requestColumns } from '../rows/rows'

/** Requests that were decided and closed stay on the page until this many newer ones have been. */
const CLOSED_REQUESTS_SHOWN = 5

interface Wanted {
  agentIds: string | null
}

export function createRequestReads(db: Connection): AtOnce<RequestStore> {
  const open = db.prepare<[string], RawRequest>(pendingStatements.open)
  const closed = db.prepare<[string, number], RawRequest>(pendingStatements.closed)
  const one = db.prepare<[string], RawRequest>(`${requestsBy('')} WHERE r.requestId = ?`)
  const many = db.prepare<[string], RawRequest>(
    `${requestsBy('')} WHERE r.requestId IN (SELECT value FROM json_each(?))`,
  )
  const inbox = db.prepare<[Wanted & InboxLimit], RawRequest>(pendingStatements.inbox)
  const byMachine = db.prepare<[Wanted], { agentId: string; n: number }>(pendingStatements.byMachine)
  const counts = db.prepare<[string], { sessionId: string; n: number }>(pendingStatements.counts)

  const numbersOf = <Args extends unknown[]>(sql: string) => db.prepare<Args, number>(sql).pluck()
  const openNumbers = numbersOf<[string]>(pendingNumbers.open)
  const closedNumbers = numbersOf<[string]>(pendingNumbers.closed)
  const waitingNumbers = numbersOf<[]>(pendingNumbers.inbox)
  const joined = db.prepare<[number], RawRequest>(`${requestsBy('')} WHERE r.rowid = ?`)
  const alone = db.prepare<[number], RawRequest>(
    `SELECT ${requestColumns}, NULL AS commandState FROM Request r WHERE r.rowid = ?`,
  )
  const byNumber = (rowid: number) => readable(() => joined.get(rowid)) ?? readable(() => alone.get(rowid)) ?? lost

  /** Each alone, for where one of them cannot be read. */
  function waiting({ agentIds }: Wanted): RawRequest[] {
    const wanted = agentIds === null ? null : new Set(JSON.parse(agentIds) as string[])
    const rows = (readable(() => waitingNumbers.all()) ?? []).map(byNumber)
    return rows.filter((row) => isWholeRequest(row) && (wanted === null || wanted.has(row.agentId)))
  }

  return {
    shown: (sessionId) => [
      ...rowByRow(
        () => closed.all(sessionId, CLOSED_REQUESTS_SHOWN),
        () => closedNumbers.all(sessionId),
        byNumber,
      )
        .filter((row) => row.outcome !== 'open')
        .slice(0, CLOSED_REQUESTS_SHOWN)
        .reverse()
        .map(markedRequest),
      ...rowByRow(
        () => open.all(sessionId),
        () => openNumbers.all(sessionId),
        byNumber,
      ).map(markedRequest),
    ],
    find: (requestId) => {
      const row = one.get(requestId)
      return row && toRequest(row)
    },
    findMany: (requestIds) => {
      if (requestIds.length === 0) return []
      const rows = readable(() => many.all(JSON.stringify(requestIds)))
      const found = rows ?? requestIds.flatMap((requestId) => readable(() => one.get(requestId)) ?? [])
      return found.map(toRequest)
    },
    pending: (limit, agents) => {
      const agentIds = agents && JSON.stringify([...agents])
      const rows = readable(() => inbox.all({ agentIds, ...limit }))
      const sound = rows ? rows.filter(isWholeRequest) : inTurns(waiting({ agentIds }), limit)
      return sound.map(toRequest)
    },
    pendingByMachine: (agents) => {
      const agentIds = agents && JSON.stringify([...agents])
      const rows = readable(() => byMachine.all({ agentIds }))
      if (rows) return new Map(rows.map(({ agentId, n }) => [agentId, n]))
      const found = new Map<string, number>()
      for (const { agentId } of waiting({ agentIds })) found.set(agentId, (found.get(agentId) ?? 0) + 1)
      return found
    },
    pendingBySession: (sessionIds) => {
      const rows = readable(() => counts.all(JSON.stringify(sessionIds))) ?? []
      return new Map(rows.map((row) => [row.sessionId, row.n]))
    },
  }
}

/** Nothing of it can be read. */
const lost = { damaged: true } as RawRequest

/** As the statement does: the newest of each machine, the first of each before the second of any. */
function inTurns(rows: RawRequest[], { inAll, ...limit }: InboxLimit): RawRequest[] {
  const byMachine = new Map<string, RawRequest[]>()
  for (const row of rows) byMachine.set(row.agentId, [...(byMachine.get(row.agentId) ?? []), row])
  const kept = [...byMachine.values()].flatMap((ofOne) => newestOf(ofOne, limit).map((row, turn) => ({ row, turn })))
  return kept
    .sort((a, b) => a.turn - b.turn)
    .slice(0, inAll)
    .map(({ row }) => row)
}

function newestOf(rows: RawRequest[], { perMachine, bytesPerMachine }: Omit<InboxLimit, 'inAll'>): RawRequest[] {
  let from = Math.max(0, rows.length - 1)
  let bytes = rows[from]?.ask.length ?? 0
  while (from > 0 && rows.length - from < perMachine) {
    bytes += rows[from - 1]?.ask.length ?? 0
    if (bytes > bytesPerMachine) break
    from -= 1
  }
  return rows.slice(from)
}

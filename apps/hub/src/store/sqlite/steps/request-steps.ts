/** Permission requests in the event stream, by statements prepared once on the writing connection (STORE-2). */
import type { RequestRow, RequestSteps } from '../../../core/ports/request-store'
import type { Connection } from '../file/connections'
import { readable } from '../rows/row-by-row'
import { requestColumns } from '../rows/rows'

export function createRequestSteps(db: Connection): RequestSteps {
  const one = db.prepare<[string], RequestRow>(`SELECT ${requestColumns} FROM Request r WHERE requestId = ?`)
  const insert = db.prepare(
    `INSERT INTO Request (requestId, sessionPk, sessionId, agentId, procId, digest, ask, askedAt, expiresAt, outcome)
     VALUES (@requestId, @sessionPk, @sessionId, @agentId, @procId, @digest, @ask, @askedAt, @expiresAt, @outcome)
     ON CONFLICT (requestId) DO NOTHING`,
  )
  const reopen = db.prepare(`UPDATE Request SET ask = ?, outcome = 'open', resolvedSeq = NULL WHERE requestId = ?`)
  const emptyDecision = db.prepare(
    `UPDATE Request SET decision = NULL, decidedBy = NULL, deciderName = NULL, decidedAt = NULL, device = NULL,
       reason = NULL, commandId = NULL WHERE requestId = ? AND commandId = ? AND outcome = 'open'`,
  )
  const close = db.prepare('UPDATE Request SET outcome = ?, resolvedSeq = ? WHERE requestId = ?')
  const closeAllOpen = db.prepare(
    `UPDATE Request SET outcome = ?, resolvedSeq = ? WHERE sessionPk = ? AND outcome = 'open'`,
  )
  return {
    find: (requestId) => one.get(requestId),
    open: openRequestReads(db),
    insert: (row) => void insert.run(row),
    reopen: (requestId, ask) => void reopen.run(ask, requestId),
    emptyDecision: (requestId, commandId) => emptyDecision.run(requestId, commandId).changes === 1,
    close: (requestId, outcome, resolvedSeq) => void close.run(outcome, resolvedSeq, requestId),
    closeAllOpen: (pk, outcome, resolvedSeq) => void closeAllOpen.run(outcome, resolvedSeq, pk),
  }
}

/** Where one of them cannot be read their number is all that is known: the index alone tells it. */
function openRequestReads(db: Connection): RequestSteps['open'] {
  const ofMachine = `FROM Request INDEXED BY Request_open_of_machine WHERE agentId = ? AND outcome = 'open'`
  const ofSession = `FROM Request INDEXED BY Request_open WHERE sessionPk = ? AND outcome = 'open'`
  const counted = (from: string) =>
    db.prepare<[string | number], OpenRequests>(`SELECT count(*) AS count, 0 AS bytes ${from}`)
  const measured = (from: string) =>
    db.prepare<[string | number], OpenRequests>(
      `SELECT count(*) AS count, coalesce(sum(octet_length(ask)), 0) AS bytes ${from}`,
    )
  const machine = { measured: measured(ofMachine), counted: counted(ofMachine) }
  const session = { measured: measured(ofSession), counted: counted(ofSession) }
  return (agentId, pk) => {
    const [of, key] = pk === undefined ? [machine, agentId] : [session, pk]
    return readable(() => of.measured.get(key)) ?? of.counted.get(key) ?? { count: 0, bytes: 0 }
  }
}

type OpenRequests = ReturnType<RequestSteps['open']>

/** Permission requests in the event stream, by statements prepared once on the writing connection (STORE-2). */
import type { OpenRequests, StreamRequest } from '../../../core/ports/request-store'
import type { OperationOf } from '../../../core/ports/stream/stream-change'
import type { LoadKeys } from '../../../core/ports/stream/stream-writer'
import type { Connection } from '../file/connections'
import { type RawStreamRequest, toRequest, writeAsk } from '../rows/request-rows'
import { readable } from '../rows/row-by-row'
import { requestColumns } from '../rows/rows'
import { byKey, lookEach, lookUp } from './look-up'
import { requireOne } from './require-one'
import type { SessionPlaces } from './session-places'

export function createRequestStream(db: Connection) {
  const load = lookUp<RawStreamRequest, StreamRequest>(db, {
    ...byKey(db, `SELECT ${requestColumns} FROM Request r`, 'requestId'),
    keyOf: ({ requestId }) => requestId,
    toRow: toRequest,
  })
  return { load, open: openRequestReads(db), ...createRequestChanges(db) }
}

function createRequestChanges(db: Connection) {
  const insert = db.prepare(
    `INSERT INTO Request (requestId, sessionPk, sessionId, agentId, procId, digest, ask, askedAt, expiresAt, outcome)
     VALUES (@requestId, @sessionPk, @sessionId, @agentId, @procId, @digest, @ask, @askedAt, @expiresAt, @outcome)
     ON CONFLICT (requestId) DO NOTHING`,
  )
  const reopen = db.prepare(
    `UPDATE Request SET ask = coalesce(?, ask), outcome = 'open', resolvedSeq = NULL WHERE requestId = ?`,
  )
  const emptyDecision = db.prepare(
    `UPDATE Request SET decision = NULL, decidedBy = NULL, deciderName = NULL, decidedAt = NULL, device = NULL,
       reason = NULL, commandId = NULL WHERE requestId = ? AND commandId = ? AND outcome = 'open'`,
  )
  const close = db.prepare('UPDATE Request SET outcome = ?, resolvedSeq = ? WHERE requestId = ?')
  const closeAllOpen = db.prepare(
    `UPDATE Request SET outcome = ?, resolvedSeq = ? WHERE sessionPk = ? AND outcome = 'open'`,
  )
  return {
    insert: ({ row }: OperationOf<'request.insert'>, places: SessionPlaces) =>
      insert.run({ ...row, ask: writeAsk(row.ask), sessionPk: places.pkOf(row.sessionId) }),
    reopen: ({ requestId, ask }: OperationOf<'request.reopen'>) => reopen.run(ask ? writeAsk(ask) : null, requestId),
    emptyDecision: ({ requestId, commandId }: OperationOf<'request.emptyDecision'>) =>
      requireOne(emptyDecision.run(requestId, commandId)),
    close: ({ requestId, outcome, resolvedSeq }: OperationOf<'request.close'>) =>
      close.run(outcome, resolvedSeq, requestId),
    closeAllOpen: ({ sessionId, outcome, resolvedSeq }: OperationOf<'requests.closeAllOpen'>, places: SessionPlaces) =>
      closeAllOpen.run(outcome, resolvedSeq, places.pkOf(sessionId)),
  }
}

/** If a request cannot be read, only the number of requests is known: the index gives it without their rows. */
function openRequestReads(db: Connection) {
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
  const read = (of: typeof machine, key: string | number): OpenRequests =>
    readable(() => of.measured.get(key)) ?? of.counted.get(key) ?? none
  return (wanted: LoadKeys['openRequests'], places: SessionPlaces) =>
    lookEach(wanted, ({ agentId, sessionId }) => {
      const pk = places.get(sessionId)?.pk
      return [sessionId, { ofMachine: read(machine, agentId), ofSession: pk ? read(session, pk) : none }]
    })
}

const none: OpenRequests = { count: 0, bytes: 0 }

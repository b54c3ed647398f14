/** What waits, and what a page still shows of what waited: each by an index that holds no other rows. */
import { commandColumns, pkOfSession, requestColumns } from './rows'
import { LONG_BODY_BYTES } from './shown-bodies'

/** A long body is not read. */
const shownColumns = `${commandColumns.replace(
  'body',
  `CASE WHEN octet_length(body) > ${LONG_BODY_BYTES} THEN '' ELSE body END AS body`,
)}, octet_length(body) AS bodyBytes`

export const requestsBy = (index: string) => `SELECT ${requestColumns}, c.state AS commandState
  FROM Request r ${index} LEFT JOIN Command c ON c.commandId = r.commandId`

const fromShown = `FROM Command INDEXED BY Command_shown
      WHERE sessionId = wanted.value AND dismissed = 0 AND state NOT IN ('done', 'cancelled') ORDER BY createdAt`
/** The newest of each session, and the one that creates it: it says how a session ended that never began (CMD-5.29). */
const shownOfWanted = `FROM json_each(?) wanted JOIN Command ON Command.rowid IN (
      SELECT rowid FROM (SELECT rowid ${fromShown} DESC LIMIT 50)
      UNION SELECT rowid FROM (SELECT rowid, kind ${fromShown}, rowid LIMIT 1) WHERE kind = 'session.create')
    ORDER BY sessionId, createdAt DESC, Command.rowid DESC`

const isWaiting = `r.outcome = 'open' AND r.decision IS NULL
  AND (:agentIds IS NULL OR r.agentId IN (SELECT value FROM json_each(:agentIds)))`

/**
 * Each looks at rows that matter and at no others, whatever the length of the session: the index is named, so that a
 * change which makes it useless fails loudly.
 */
/** Word for word as in the index. */
const hasNoEvent = `kind IN ('process.end', 'session.resume', 'turn.interrupt', 'task.stop', 'queue.edit', 'queue.remove', 'queue.move', 'queue.release')`

export const pendingStatements = {
  open: `${requestsBy('INDEXED BY Request_open')} WHERE r.sessionPk = ${pkOfSession} AND r.outcome = 'open' ORDER BY r.askedAt`,
  closed: `${requestsBy('INDEXED BY Request_decided')}
    WHERE r.sessionPk = ${pkOfSession} AND r.decision IS NOT NULL AND r.outcome <> 'open' ORDER BY r.askedAt DESC LIMIT ?`,
  // In the order in which the hub heard of them, which no machine can date.
  inbox: `WITH waiting AS (
      SELECT r.rowid AS id, r.agentId, row_number() OVER fromNewest AS newest, sum(octet_length(r.ask)) OVER fromNewest AS bytes
      FROM Request r INDEXED BY Request_pending WHERE ${isWaiting}
      WINDOW fromNewest AS (PARTITION BY r.agentId ORDER BY r.rowid DESC)
    ), kept AS (
      SELECT id, row_number() OVER (PARTITION BY agentId ORDER BY id) AS turn FROM waiting
      WHERE newest = 1 OR (newest <= :perMachine AND bytes <= :bytesPerMachine)
    )
    SELECT ${requestColumns}, c.state AS commandState FROM kept JOIN Request r ON r.rowid = kept.id
    LEFT JOIN Command c ON c.commandId = r.commandId ORDER BY kept.turn, kept.id LIMIT :inAll`,
  byMachine: `SELECT r.agentId, count(*) AS n FROM Request r INDEXED BY Request_pending WHERE ${isWaiting} GROUP BY r.agentId`,
  counts: `SELECT s.sessionId, count(*) AS n FROM json_each(?) wanted
    CROSS JOIN Session s INDEXED BY Session_sessionId_key ON s.sessionId = wanted.value
    CROSS JOIN Request r INDEXED BY Request_pending ON r.sessionPk = s.pk AND r.outcome = 'open' AND r.decision IS NULL
    GROUP BY s.sessionId`,
  commands: `SELECT commandId, sessionId, cmdSeq, state, kind FROM Command INDEXED BY Command_unfinished
    WHERE agentId = ? AND state IN ('pending', 'sent') ORDER BY createdAt, rowid`,
  commandsOf: `SELECT commandId, sessionId, cmdSeq, state, kind FROM Command INDEXED BY Command_unfinished_of_session
    WHERE sessionId = ? AND state IN ('pending', 'sent') ORDER BY createdAt, rowid`,
  undoneDeletions: `SELECT sessionId FROM Command INDEXED BY Command_undone_deletion
    WHERE agentId = ? AND kind = 'session.delete' AND state NOT IN ('pending', 'sent', 'done')`,
  pending: `SELECT ${commandColumns} FROM Command INDEXED BY Command_unfinished
    WHERE state IN ('pending', 'sent') AND state = 'pending'`,
  overdue: `SELECT ${commandColumns} FROM Command INDEXED BY Command_unfinished
    WHERE state IN ('pending', 'sent') AND expiresAt <= ?`,
  unsettled: `SELECT ${commandColumns} FROM Command INDEXED BY Command_unsettled
    WHERE state = 'accepted' AND ${hasNoEvent} AND createdAt <= ? ORDER BY createdAt DESC LIMIT 500`,
  sessionsShown: `SELECT DISTINCT sessionId FROM Command INDEXED BY Command_shown
    WHERE dismissed = 0 AND state NOT IN ('done', 'cancelled')`,
  shownOfMany: `SELECT ${shownColumns} ${shownOfWanted}`,
} as const

/** The numbers of the same rows, by the index alone: for where a row cannot be read. */
export const pendingNumbers = {
  open: `SELECT rowid FROM Request INDEXED BY Request_open WHERE sessionPk = ${pkOfSession} AND outcome = 'open' ORDER BY askedAt`,
  closed: `SELECT rowid FROM Request INDEXED BY Request_decided WHERE sessionPk = ${pkOfSession} AND decision IS NOT NULL
    ORDER BY askedAt DESC`,
  inbox: `SELECT rowid FROM Request INDEXED BY Request_pending WHERE outcome = 'open' AND decision IS NULL ORDER BY rowid`,
  commands: `SELECT rowid FROM Command INDEXED BY Command_unfinished
    WHERE agentId = ? AND state IN ('pending', 'sent') ORDER BY createdAt, rowid`,
  commandsOf: `SELECT rowid FROM Command INDEXED BY Command_unfinished_of_session
    WHERE sessionId = ? AND state IN ('pending', 'sent') ORDER BY createdAt, rowid`,
  unfinished: `SELECT rowid FROM Command INDEXED BY Command_unfinished WHERE state IN ('pending', 'sent')`,
  shownOfMany: `SELECT Command.rowid ${shownOfWanted}`,
} as const

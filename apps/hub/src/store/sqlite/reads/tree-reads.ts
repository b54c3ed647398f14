/** Trees of sessions on the reading connection. */
import type { PlacedRequest, StoredPlace, TreeNodeRow, TreeRequestRow, TreeStore } from '../../../core/ports/tree-store'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import { toStopped, toTree } from '../rows/tree-rows'

type RawTree = Parameters<typeof toTree>[0]

type RawPlace = { [K in keyof RawTree]: RawTree[K] | null } & {
  asked: string
  parentId: string | null
  below: string | null
  depth: number | null
  endedAt: RawTree['stoppedAt']
  endedWhy: string | null
}

type Raw<Row extends TreeRequestRow> = Omit<Row, 'input'> & { input: string }

/** Places are counted over all that is open, and the texts are read only of the page. */
const placed = `WITH ofSessions AS (
    SELECT r.sessionId, r.seq, r.createdAt, r.dueAt, coalesce(n.rootId, r.sessionId) AS rootId,
      row_number() OVER (PARTITION BY r.sessionId ORDER BY r.seq) AS ofSession
    FROM TreeRequest r LEFT JOIN TreeNode n ON n.sessionId = r.sessionId),
  placed AS (
    SELECT *, row_number() OVER (PARTITION BY rootId ORDER BY ofSession, createdAt, sessionId) AS ofTree FROM ofSessions),
  page AS (
    SELECT * FROM placed WHERE dueAt IS NULL OR dueAt <= ? OR ofSession > ? OR ofTree > ?
    ORDER BY ofSession, createdAt, sessionId LIMIT ?)
  SELECT r.*, page.ofSession, page.ofTree FROM page JOIN TreeRequest r ON r.sessionId = page.sessionId AND r.seq = page.seq
  ORDER BY page.ofSession, page.createdAt, page.sessionId`

const node = 'SELECT sessionId, parentId, rootId, depth FROM TreeNode'

/**
 * The audit log keeps who said what to a session; commands go with their session. So a decision is found by the command, and where that is
 * gone, in the log from the beginning of the session on.
 */
const authorsOfTree = `WITH root(id) AS (SELECT ?), below AS (SELECT n.sessionId, n.createdAt FROM root JOIN TreeNode n ON n.rootId = root.id),
  member(sessionId) AS (SELECT id FROM root UNION SELECT sessionId FROM below)
  SELECT a.actorId FROM member CROSS JOIN Audit a ON a.object = member.sessionId
    WHERE a.outcome = 'ok' AND (a.action IN ('session.create', 'prompt.send', 'program.tell', 'queue.edit')
      OR a.action = 'session.organise' AND CASE WHEN json_valid(a.detail) THEN a.detail ->> '$.renamed' ELSE 1 END)
  UNION SELECT c.authorId FROM member CROSS JOIN Command c ON c.sessionId = member.sessionId
    WHERE c.kind = 'permission.decide' AND CASE WHEN json_valid(c.body) THEN
      coalesce(c.body ->> '$.reason', c.body -> '$.updatedInput', c.body -> '$.answers') IS NOT NULL ELSE 1 END
  UNION SELECT a.actorId FROM below CROSS JOIN Audit a INDEXED BY Audit_at_idx ON a.at >= below.createdAt
    WHERE NOT EXISTS (SELECT 1 FROM Session s WHERE s.sessionId = below.sessionId) AND a.action = 'permission.decide'
      AND a.outcome = 'ok' AND CASE WHEN json_valid(a.detail) THEN a.detail ->> '$.sessionId' = below.sessionId
      AND coalesce(a.detail ->> '$.reason', a.detail ->> '$.sentSha256') IS NOT NULL ELSE 0 END`

export function createTreeReads(db: Connection): AtOnce<TreeStore> {
  const places = db.prepare<[string], RawPlace>(
    `SELECT wanted.value AS asked, n.parentId, n.rootId AS below, n.depth,
      up.stoppedAt AS endedAt, up.stoppedWhy AS endedWhy, t.* FROM json_each(?) wanted
      LEFT JOIN TreeNode n ON n.sessionId = wanted.value LEFT JOIN Tree t ON t.rootId = wanted.value
      LEFT JOIN Tree up ON up.rootId = coalesce(n.rootId, wanted.value)
      WHERE n.sessionId IS NOT NULL OR t.rootId IS NOT NULL`,
  )
  const below = db.prepare<[string], TreeNodeRow>(`${node} WHERE rootId = ? ORDER BY createdAt, sessionId`)
  const authors = db.prepare<[string], string>(authorsOfTree).pluck()
  const open = db.prepare<[], RawTree>('SELECT * FROM Tree WHERE isOver = 0')
  const requests = db.prepare<[number, number, number, number], Raw<PlacedRequest>>(placed)
  const waiting = db
    .prepare<[string], string>(
      'SELECT DISTINCT sessionId FROM TreeRequest WHERE sessionId IN (SELECT value FROM json_each(?)) AND dueAt IS NOT NULL',
    )
    .pluck()
  const waits = db.prepare<[string, number, number, number], Raw<TreeRequestRow>>(
    'SELECT * FROM TreeRequest WHERE (sessionId, seq) > (?, ?) AND dueAt > ? ORDER BY sessionId, seq LIMIT ?',
  )
  return {
    places: (ids) =>
      new Map(ids.length === 0 ? [] : places.all(JSON.stringify(ids)).map((raw) => [raw.asked, placeOf(raw)])),
    open: () => open.all().map(toTree),
    below: (rootId) => below.all(rootId),
    authors: (rootId) => authors.all(rootId),
    requests: ({ now, mostOfSession, mostOfTree, limit }) =>
      requests.all(now, mostOfSession, mostOfTree, limit).map(withInput),
    waiting: (ids) => new Set(ids.length === 0 ? [] : waiting.all(JSON.stringify(ids))),
    waits: (now, after, limit) => waits.all(after?.sessionId ?? '', after?.seq ?? 0, now, limit).map(withInput),
  }
}

const withInput = <Row extends { input: string }>(row: Row) => ({ ...row, input: JSON.parse(row.input) as unknown })

function placeOf(raw: RawPlace): StoredPlace {
  const { asked, parentId, below, depth, endedAt, endedWhy } = raw
  const isNode = parentId !== null && below !== null && depth !== null
  return {
    node: isNode ? { sessionId: asked, parentId, rootId: below, depth } : null,
    tree: raw.rootId === null ? null : toTree(raw as RawTree),
    stopped: endedAt === null ? null : toStopped({ stoppedAt: endedAt, stoppedWhy: endedWhy }),
  }
}

/** Trees of sessions on the reading connection. */
import type { StoredPlace, TreeNodeRow, TreeRequestRow, TreeStore } from '../../../core/ports/tree-store'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import { toTree } from '../rows/tree-rows'

type RawTree = Parameters<typeof toTree>[0]

type RawPlace = { [K in keyof RawTree]: RawTree[K] | null } & {
  asked: string
  parentId: string | null
  below: string | null
  depth: number | null
}

const node = 'SELECT sessionId, parentId, rootId, depth FROM TreeNode'

export function createTreeReads(db: Connection): AtOnce<TreeStore> {
  const places = db.prepare<[string], RawPlace>(
    `SELECT wanted.value AS asked, n.parentId, n.rootId AS below, n.depth, t.* FROM json_each(?) wanted
      LEFT JOIN TreeNode n ON n.sessionId = wanted.value LEFT JOIN Tree t ON t.rootId = wanted.value
      WHERE n.sessionId IS NOT NULL OR t.rootId IS NOT NULL`,
  )
  const below = db.prepare<[string], TreeNodeRow>(`${node} WHERE rootId = ? ORDER BY createdAt, sessionId`)
  const open = db.prepare<[], RawTree>('SELECT * FROM Tree WHERE isOver = 0')
  const requests = db.prepare<[number], Omit<TreeRequestRow, 'input'> & { input: string }>(
    'SELECT * FROM TreeRequest ORDER BY createdAt, sessionId, seq LIMIT ?',
  )
  return {
    places: (ids) =>
      new Map(ids.length === 0 ? [] : places.all(JSON.stringify(ids)).map((raw) => [raw.asked, placeOf(raw)])),
    open: () => open.all().map(toTree),
    below: (rootId) => below.all(rootId),
    requests: (limit) => requests.all(limit).map((row) => ({ ...row, input: JSON.parse(row.input) as unknown })),
  }
}

function placeOf(raw: RawPlace): StoredPlace {
  const { asked, parentId, below, depth } = raw
  const isNode = parentId !== null && below !== null && depth !== null
  return {
    node: isNode ? { sessionId: asked, parentId, rootId: below, depth } : null,
    tree: raw.rootId === null ? null : toTree(raw as RawTree),
  }
}

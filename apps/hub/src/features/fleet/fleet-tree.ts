/**
 * The rows of the Fleet page: sessions and programs with a token that are here, each below the one that started it, with its depth.
 * Pure.
 */
import type { PeerView, SessionSummary } from '@roundhouse/backend-types'

export interface FleetRow {
  /** The id of the session, or of the peer. */
  id: string
  name: string
  depth: number
  /** Null: a program that is not a session of this hub. */
  session: SessionSummary | null
  /** Null: it has not spoken on the bus. */
  peer: PeerView | null
  /** It is the root of a tree, so the tree can be stopped here. */
  isRoot: boolean
}

interface Node extends Omit<FleetRow, 'depth' | 'isRoot'> {
  parentId: string | null
}

const isOver = ({ status }: SessionSummary) => status.status === 'ended'

export function fleetRows(sessions: readonly SessionSummary[], peers: readonly PeerView[]): FleetRow[] {
  const nodes = new Map<string, Node>()
  for (const session of sessions) {
    const { sessionId: id, title: name, parentId = null } = session
    nodes.set(id, { id, name, session, peer: null, parentId })
  }
  for (const peer of peers) {
    const known = nodes.get(peer.peerId)
    if (known) known.peer = peer
    else if (peer.kind !== 'person' && peer.state !== 'left')
      nodes.set(peer.peerId, { id: peer.peerId, name: peer.name, session: null, peer, parentId: peer.parentId })
  }
  const children = childrenOf(nodes)
  const rows: FleetRow[] = []
  const isShown = (node: Node): boolean =>
    node.session === null || !isOver(node.session) || (children.get(node.id) ?? []).some(isShown)
  const walk = (node: Node, depth: number) => {
    if (!isShown(node)) return
    const { parentId: _, ...shown } = node
    const below = children.get(node.id) ?? []
    rows.push({ ...shown, depth, isRoot: depth === 0 && node.session !== null && isTree(node.session, below) })
    for (const child of below) walk(child, depth + 1)
  }
  for (const root of children.get(null) ?? []) walk(root, 0)
  return rows
}

const isTree = ({ spawning }: SessionSummary, children: readonly Node[]) => Boolean(spawning) || children.length > 0

/** One whose parent is not on the page stands at the top. So does one of a circle, which only programs of others could claim. */
function childrenOf(nodes: ReadonlyMap<string, Node>): Map<string | null, Node[]> {
  const children = new Map<string | null, Node[]>()
  for (const node of nodes.values()) {
    const parent = leadsUp(node, nodes) ? node.parentId : null
    children.set(parent, [...(children.get(parent) ?? []), node])
  }
  return children
}

function leadsUp(node: Node, nodes: ReadonlyMap<string, Node>): boolean {
  if (node.parentId === null || !nodes.has(node.parentId)) return false
  const seen = new Set<string>()
  for (let at: Node | undefined = node; at; at = at.parentId === null ? undefined : nodes.get(at.parentId)) {
    if (seen.has(at.id)) return false
    seen.add(at.id)
  }
  return true
}

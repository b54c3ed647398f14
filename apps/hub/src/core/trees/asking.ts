/** A session that asks, and its tree. */

import type { TreeAnswer } from '@roundhouse/backend-types'
import type { SessionRow } from '../ports/session-store'
import type { Reads } from '../ports/stores'
import type { TreeNodeRow, TreeRow } from '../ports/tree-store'
import type { PersonTx } from '../writes/write-as'

export interface Asking {
  session: SessionRow
  /** Null: it is a root. */
  node: TreeNodeRow | null
  rootId: string
  /** Null: nobody allowed it to start sessions. */
  tree: TreeRow | null
}

/** Ends a request in the transaction of what it does. Throws where it is answered already. */
export type Answers = (tx: PersonTx, answer: TreeAnswer) => Promise<void>

/** Null: the session is deleted. */
export async function findAsking(reads: Pick<Reads, 'sessions' | 'trees'>, sessionId: string): Promise<Asking | null> {
  const session = await reads.sessions.find(sessionId)
  if (!session) return null
  const own = (await reads.trees.places([sessionId])).get(sessionId)
  const node = own?.node ?? null
  if (!node) return { session, node, rootId: sessionId, tree: own?.tree ?? null }
  const { rootId } = node
  return { session, node, rootId, tree: (await reads.trees.places([rootId])).get(rootId)?.tree ?? null }
}

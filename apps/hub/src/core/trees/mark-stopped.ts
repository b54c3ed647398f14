import type { TreeStopReason } from '@roundhouse/backend-types'
import { treeFact } from '../bus/sessions/session-facts'
import type { BusStore } from '../ports/bus-store'
import type { TreeRow } from '../ports/tree-store'
import type { PersonTx } from '../writes/write-as'

export interface Stopping {
  tree: TreeRow
  /** Null: it is deleted, and so is what the bus says of it. */
  root: { agentId: string } | null
  why: TreeStopReason
  now: number
}

/** From here on no session of the tree starts another one, whatever is under way. The bus hears of it in the same transaction. */
export async function markStopped(
  bus: Pick<BusStore, 'appendIn'>,
  tx: PersonTx,
  { tree, root, why, now }: Stopping,
): Promise<void> {
  if (tree.stoppedAt !== null) return
  await tx.trees.put({ ...tree, stoppedAt: now, stoppedWhy: why })
  if (root) await bus.appendIn(tx, { rows: [treeFact({ rootId: tree.rootId, agentId: root.agentId, why, now })] })
}

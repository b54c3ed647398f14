import type { TreeStopReason } from '@roundhouse/backend-types'
import type { TreeRow } from '../ports/tree-store'
import type { PersonTx } from '../writes/write-as'

/** From here on no session of the tree starts another one, whatever is under way. */
export async function markStopped(
  tx: Pick<PersonTx, 'trees'>,
  tree: TreeRow,
  why: TreeStopReason,
  now: number,
): Promise<void> {
  if (tree.stoppedAt === null) await tx.trees.put({ ...tree, stoppedAt: now, stoppedWhy: why })
}

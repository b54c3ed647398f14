/** The limits of a tree, read in the transaction that starts a session, so that none gets past them (TREE-3). */
import { CodedError, treeLimits } from '@roundhouse/backend-types'
import type { TreeNodeRow, TreeRow } from '../ports/tree-store'
import type { PersonTx } from '../writes/write-as'
import { isOverBudget } from './judge-tree'

/** The place of a child that this session starts now. */
export async function childPlace(
  tx: Pick<PersonTx, 'trees'>,
  parentId: string,
): Promise<Omit<TreeNodeRow, 'sessionId'>> {
  const node = await tx.trees.node(parentId)
  const rootId = node?.rootId ?? parentId
  requireSpawning(await tx.trees.tree(rootId))
  const depth = (node?.depth ?? 0) + 1
  if (depth > treeLimits.depth)
    throw new CodedError('TREE_LIMIT', `A tree has at most ${treeLimits.depth} levels below its root.`)
  if ((await tx.trees.countChildren(parentId)) >= treeLimits.children)
    throw new CodedError('TREE_LIMIT', `A session starts at most ${treeLimits.children} others.`)
  return { parentId, rootId, depth }
}

export function requireSpawning(tree: TreeRow | null): TreeRow {
  if (!tree || (tree.isOff && tree.stoppedAt === null)) throw new CodedError('SPAWNING_OFF')
  if (tree.stoppedAt !== null) throw new CodedError('TREE_STOPPED')
  if (isOverBudget(tree)) throw new CodedError('TREE_LIMIT', 'The budget of the tree is used up.')
  return tree
}

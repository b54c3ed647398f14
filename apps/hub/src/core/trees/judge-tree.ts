/** Why a tree of sessions has to end (TREE-4). Pure. */
import type { TreeStopReason } from '@roundhouse/backend-types'
import { type Actor, can } from '../access/access'
import { rightsOf, type Standing } from '../access/standing'
import type { TreeRow } from '../ports/tree-store'

export interface TreeFacts {
  tree: TreeRow
  /** The standing of the person who let the tree start sessions. */
  standing: Standing | undefined
  /** The machines of the sessions that have not ended; `root` null: it was deleted. */
  root: { agentId: string } | null
  live: readonly { agentId: string }[]
  now: number
}

export function treeEnd({ tree, standing, root, live, now }: TreeFacts): TreeStopReason | null {
  if (!root) return 'deleted'
  if (isOverBudget(tree)) return 'budget'
  const actor = personActor(tree, standing, now)
  const holds = actor && [root, ...live].every((place) => can(actor, 'session.control', place))
  return holds && can(actor, 'session.create') ? null : 'rights'
}

export const isOverBudget = ({ budgetUsd, budgetTokens, costUsd, tokens }: TreeRow): boolean =>
  (budgetUsd !== null && costUsd >= budgetUsd) || (budgetTokens !== null && tokens >= budgetTokens)

/** Null: the person is gone, or may not sign in. They act without a login: their rights are read again at each write. */
export function personActor(
  { personId, personName }: Pick<TreeRow, 'personId' | 'personName'>,
  standing: Standing | null | undefined,
  now: number,
): Actor | null {
  const rights = rightsOf(standing, now)
  return rights && { ...rights, name: personName, credential: { kind: 'person', id: personId } }
}

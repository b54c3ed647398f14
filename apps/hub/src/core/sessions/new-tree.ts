/** The row by which a person lets a session start others (TREE-1). */
import { CodedError, type TreeBudget } from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import type { TreeRow } from '../ports/tree-store'

/** `before`: it was on already; what the tree has cost stays. */
export function treeRow(
  rootId: string,
  actor: Actor,
  { budgetUsd = null, budgetTokens = null }: { [K in keyof TreeBudget]?: number | null | undefined },
  at: number,
  before: TreeRow | null = null,
): TreeRow {
  if (actor.credential.kind === 'token')
    throw new CodedError('FORBIDDEN', 'Only a signed-in person can let a session start others.')
  return {
    rootId,
    personId: actor.userId,
    personName: actor.name,
    at,
    budgetUsd,
    budgetTokens,
    costUsd: before?.costUsd ?? 0,
    tokens: before?.tokens ?? 0,
    isOff: false,
    stoppedAt: null,
    stoppedWhy: null,
  }
}

/** What a tree of sessions has used of its budget, in a few words. Pure. */
import type { Spawning } from '@roundhouse/backend-types'
import { dollars } from '../../ui/text/dollars'
import { shortCount } from '../../ui/text/short-count'

type Budget = Pick<Spawning, 'budgetUsd' | 'budgetTokens' | 'costUsd' | 'tokens'>

/** `Tree $0.40 of $2.50`, `Tree 12k of 400k tokens`, or both. Absent: it has no budget, and starts no more. */
export function treeBudgetWords(spawning: Budget | null | undefined): string | undefined {
  if (!spawning) return undefined
  const { budgetUsd, budgetTokens, costUsd, tokens } = spawning
  const used = [
    ...(budgetUsd === undefined ? [] : [`${dollars(costUsd)} of ${dollars(budgetUsd)}`]),
    ...(budgetTokens === undefined ? [] : [`${shortCount(tokens)} of ${shortCount(budgetTokens)} tokens`]),
  ]
  return `Tree ${used.join(', ')}`
}

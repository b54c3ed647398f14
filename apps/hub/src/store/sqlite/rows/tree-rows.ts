/** Rows of trees, from their columns. */
import { TreeStopReason } from '@roundhouse/backend-types'
import type { TreeRow } from '../../../core/ports/tree-store'

interface RawTree {
  rootId: string
  personId: string
  personName: string
  at: number | bigint
  budgetUsd: number | null
  budgetTokens: number | null
  costUsd: number
  tokens: number
  isOff: boolean | number
  stoppedAt: number | bigint | null
  stoppedWhy: string | null
}

export function toTree(raw: RawTree): TreeRow {
  const { rootId, personId, personName, budgetUsd, budgetTokens, costUsd, tokens } = raw
  return {
    rootId,
    personId,
    personName,
    at: Number(raw.at),
    budgetUsd,
    budgetTokens,
    costUsd,
    tokens,
    isOff: Boolean(raw.isOff),
    ...toStopped(raw),
  }
}

export function toStopped({ stoppedAt, stoppedWhy }: Pick<RawTree, 'stoppedAt' | 'stoppedWhy'>) {
  const why = TreeStopReason.safeParse(stoppedWhy)
  return { stoppedAt: stoppedAt === null ? null : Number(stoppedAt), stoppedWhy: why.success ? why.data : null }
}

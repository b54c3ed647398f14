/** What a tree of sessions may cost, as a person writes it: with a point or a comma. Pure. */
import type { TreeBudget } from '@roundhouse/backend-types'

export interface WrittenBudget {
  usd?: string
  tokens?: string
}

/** An empty field sets no limit. NaN: what is written there is no amount. */
export function readBudget({ usd = '', tokens = '' }: WrittenBudget): TreeBudget {
  return { ...limit('budgetUsd', usd, /^\d{1,7}(\.\d{1,4})?$/), ...limit('budgetTokens', tokens, /^\d{1,13}$/) }
}

function limit(name: keyof TreeBudget, text: string, form: RegExp): TreeBudget {
  const written = text.trim().replace(',', '.')
  if (written === '') return {}
  const amount = form.test(written) ? Number(written) : 0
  return { [name]: amount > 0 ? amount : Number.NaN }
}

export const isReadable = (budget: TreeBudget): boolean => !Object.values(budget).some(Number.isNaN)

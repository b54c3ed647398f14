import { expect, it } from 'vitest'
import { isReadable, readBudget, type WrittenBudget } from './tree-budget'

it.each<[WrittenBudget, object]>([
  [{}, {}],
  [{ usd: '', tokens: ' ' }, {}],
  [{ usd: ' 5 ' }, { budgetUsd: 5 }],
  [
    { usd: '2,50', tokens: '1000' },
    { budgetUsd: 2.5, budgetTokens: 1_000 },
  ],
  [{ tokens: '2000000000' }, { budgetTokens: 2_000_000_000 }],
])('the budget that is written as %j is %j', (written, budget) => {
  expect(readBudget(written)).toEqual(budget)
  expect(isReadable(readBudget(written))).toBe(true)
})

it.each<WrittenBudget>([
  { usd: '0' },
  { usd: '-1' },
  { usd: 'five' },
  { usd: '1e9' },
  { tokens: '2.5' },
  { usd: '5', tokens: 'x' },
])('%j is no budget', (written) => {
  expect(isReadable(readBudget(written))).toBe(false)
})

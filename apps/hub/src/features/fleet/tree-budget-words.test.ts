import { expect, it } from 'vitest'
import { treeBudgetWords } from './tree-budget-words'

const used = { costUsd: 0.4, tokens: 12_345 }

it.each([
  ['a budget in US dollars', { ...used, budgetUsd: 2.5 }, 'Tree $0.40 of $2.50'],
  ['a budget in tokens', { ...used, budgetTokens: 400_000 }, 'Tree 12k of 400k tokens'],
  ['both', { ...used, budgetUsd: 10, budgetTokens: 1_000_000 }, 'Tree $0.40 of $10.00, 12k of 1M tokens'],
  ['a budget of which nothing is used', { costUsd: 0, tokens: 0, budgetUsd: 5 }, 'Tree $0.00 of $5.00'],
  ['a session that may start no more', null, undefined],
  ['a session that never might', undefined, undefined],
])('[TREE-3.4] of %s says what is used and what is allowed', (_what, spawning, words) => {
  expect(treeBudgetWords(spawning)).toBe(words)
})

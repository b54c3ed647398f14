import { expect, it } from 'vitest'
import { spawningOf } from './spawning-of'

it.each([
  ['', {}],
  [' 5 ', { spawning: { budgetUsd: 5 } }],
  ['2,50', { spawning: { budgetUsd: 2.5 } }],
  ['0', null],
  ['-1', null],
  ['five', null],
  ['1e9', null],
])('the budget “%s” of a new session is %j', (text, request) => {
  expect(spawningOf(text)).toEqual(request)
})

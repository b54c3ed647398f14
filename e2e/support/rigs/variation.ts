/**
 * A longer variation of a case that `npm test` plays: `npm run matrix` plays it. The case that stays quotes the rules of both,
 * since what a variation quotes does not count in the page of rules and tests.
 */
import { describe, it } from 'vitest'
import { wholeMatrix } from './whole-matrix'

export const variation = it.runIf(wholeMatrix)
export const variations = describe.runIf(wholeMatrix)

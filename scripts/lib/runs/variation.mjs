/**
 * A longer variation of a case that `npm test` plays: `npm run matrix` plays it. The case that stays quotes the rules of both,
 * since what a variation quotes does not count in the page of rules and tests.
 */
import { describe, it } from 'vitest'

/** True in `npm run matrix`. */
export const wholeMatrix = process.env.ROUNDHOUSE_MATRIX === 'all'

export const variation = it.runIf(wholeMatrix)
export const variations = describe.runIf(wholeMatrix)

/**
 * For a file of variations on a program that may be missing.
 * @param {boolean} isMissing
 */
export const variationsUnless = (isMissing) => describe.skipIf(isMissing || !wholeMatrix)

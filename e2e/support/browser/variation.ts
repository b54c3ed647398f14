/**
 * A story that is a longer variation of one that `npm test` plays: `npm run matrix` plays it. In `npm test` it is not declared at
 * all, so it is not counted as skipped. What its title quotes does not count in the page of rules and tests.
 */
import { wholeMatrix } from '../rigs/whole-matrix'
import { test } from './story'

const leftOut = () => undefined

/** For the file that has fixtures of its own. */
export const variationOf = <Story>(story: Story): Story => (wholeMatrix ? story : (leftOut as unknown as Story))

export const variation = variationOf(test)

// Starts the slowest test files first: one that started last would run alone at the end, on one of several processors.
import { BaseSequencer } from 'vitest/node'

/**
 * A sequencer for Vitest: the files whose path matches come first, the others as ever.
 * @param {RegExp} longOnes
 */
export const longestFirst = (longOnes) =>
  class LongestFirst extends BaseSequencer {
    async sort(files) {
      const rank = ({ moduleId }) => (longOnes.test(moduleId) ? 0 : 1)
      return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
    }
  }

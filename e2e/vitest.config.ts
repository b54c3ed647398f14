// Faults on real processes from the production build, without a browser. They wait for other processes most of the time.
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const project = (name: string) => ({ extends: true as const, test: { name, include: [`${name}/**/*.test.ts`] } })

/** Those of a minute and more. One that began last would run alone at the end. */
const longOnes =
  /(dead-link|crash-points|lost-log|frames|pending|link|kill-matrix\w*|resume-ladder\w*)[-\w]*\.test\.ts$/

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => (longOnes.test(moduleId) ? 0 : 1)
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    // `real`: the same on the pinned claude and codex.
    projects: [project('faults'), project('real')],
    sequence: { sequencer: LongestFirst },
    maxWorkers: 4,
    isolate: false,
    maxConcurrency: 3,
    // A dead link may need the whole 20 s of LINK-4 to be found, more than once in a test.
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
})

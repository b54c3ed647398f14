// Faults on real processes from the production build, without a browser. They wait for other processes most of the time.
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { faultWorkers } from '../scripts/lib/runs/fault-workers.mjs'
import { longestFirst } from '../scripts/lib/runs/longest-first.mjs'

/** What is promised within a second: after all others, while nothing else asks for the processors. */
const alone = ['faults/flapping-link.test.ts']

const project = (name: string) => ({
  extends: true as const,
  test: { name, include: [`${name}/**/*.test.ts`], exclude: alone },
})

/** Those of half a minute and more. */
const longOnes =
  /(bad-programs|lost-socket|agent-full-disk|telegram|stranger-on-port|kill-matrix[-\w]*|resume-ladder[-\w]*|crash-points|frames|lost-log|pending|link|dead-link|restore|outsider|flood|outside-damage|outside-start|damaged-hub-file|in-the-way)\.test\.ts$/

export default defineConfig({
  test: {
    // `real`: the same on the pinned claude and codex. `long` has commands of its own.
    projects: [
      project('faults'),
      project('real'),
      project('long'),
      {
        extends: true,
        test: { name: 'faults-alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
    setupFiles: path.resolve(import.meta.dirname, '../scripts/lib/runs/no-own-group.mjs'),
    sequence: { sequencer: longestFirst(longOnes) },
    maxWorkers: faultWorkers(),
    isolate: false,
    maxConcurrency: 3,
    // A dead link may need the whole 20 s of LINK-4 to be found, more than once in a test.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})

// One run, one summary, and one project: each project would start its own processes and load every module anew.
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { longestFirst } from './scripts/lib/runs/longest-first.mjs'

/** The real programs, and what starts many processes or pauses between them. */
const longOnes =
  /(real-claude|real-codex|real-opencode|real-gemini|real|program|daemon|lost-log|resumed-by-itself|resume-note|prompt-at-the-end|crash|host|retention|second-factors)\.test\.ts$/

/** More of real OpenCode and Gemini: `npm run programs`, which also plays all of their adapter rules. */
const ofPrograms = process.env.ROUNDHOUSE_PROGRAMS === 'all' ? [] : ['**/real-acp-*.test.ts']
/** The real programs of the second set: `npm test -- --more`. */
const ofMore = process.env.ROUNDHOUSE_MORE_PROGRAMS === '1' ? [] : ['**/more/real-*.test.ts']

export default defineConfig({
  test: {
    include: ['{packages,apps}/*/**/*.test.ts', 'scripts/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...ofPrograms, ...ofMore],
    setupFiles: path.resolve('scripts/lib/runs/no-own-group.mjs'),
    passWithNoTests: false,
    sequence: { sequencer: longestFirst(longOnes) },
    // A file finds the modules that an earlier one loaded: no test changes a module, and loading them anew took a third
    // of the whole time.
    isolate: false,
    // One more than the processors, since some tests wait. More workers than that only slow each other down.
    maxWorkers: availableParallelism() + 1,
    // No test waits on time, so one that is still running after this is stuck.
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
})

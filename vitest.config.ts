// One run, one summary: every package and app is a project, and so are the house's own scripts.
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const below = (folder: string) => readdirSync(folder).map((name) => `${folder}/${name}`)
const roots = [...below('packages'), ...below('apps'), 'scripts']

export default defineConfig({
  test: {
    // A project given as a bare folder would not take the options below.
    projects: roots.map((root) => ({ extends: true as const, root, test: { name: root } })),
    passWithNoTests: false,
    // A file finds the modules that an earlier one loaded: no test changes a module, and loading them anew took a third
    // of the whole time.
    isolate: false,
    // Most of them wait for other processes; the default leaves one processor of two idle.
    maxWorkers: availableParallelism() + 1,
    // No test waits on time, so one that is still running after this is stuck.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})

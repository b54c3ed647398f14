// One run, one summary: every package and app is a project, and so are the house's own scripts.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*', 'scripts'],
    passWithNoTests: false,
    // No test waits on time, so one that is still running after this is stuck.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})

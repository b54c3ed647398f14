// Faults on real processes from the production build, without a browser. They wait for other processes most of the time.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    name: 'faults',
    include: ['faults/**/*.test.ts'],
    maxWorkers: 3,
    // A dead link may need the whole 20 s of LINK-4 to be found, more than once in a test.
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
})

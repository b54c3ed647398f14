// Tests start real processes on a machine that may be busy; none waits on time, so a longer limit only means "stuck".
import { defineProject } from 'vitest/config'

export default defineProject({ test: { testTimeout: 60_000, hookTimeout: 60_000 } })

// How many files of faults run at once. Their tests wait for other processes half of the time, so a fast machine has room for more of
// them. On a slow one they only slow each other down, until they run out of their limits of time.
import { spawnSync } from 'node:child_process'

/** A bare Node.js starts in 50 ms on a fast machine, and in 150 ms on a slow one. */
const FAST_START_MS = 90
const TRIES = 3

function startMs() {
  const begun = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return performance.now() - begun
}

/** @param {number} fastestStartMs how long a bare Node.js takes to start here */
const faultWorkersFor = (fastestStartMs) => (fastestStartMs < FAST_START_MS ? 4 : 3)

/** Measures the machine as it is now. */
export const faultWorkers = () => faultWorkersFor(Math.min(...Array.from({ length: TRIES }, startMs)))

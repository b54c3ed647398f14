/** A hub's wall clock that a test turns, and names that a test gives addresses (`turned-clock.cjs`). The hub's own ticker does the rest. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { freshFolder } from '../common/paths'

export interface TurnedClock {
  /** The environment for the hub. */
  env: Record<string, string>
  turn(byMs: number): void
}

export function turnedClock(names: Record<string, string[]> = {}): TurnedClock {
  const folder = freshFolder('world')
  const files = { clock: path.join(folder, 'clock'), names: path.join(folder, 'names.json') }
  let ahead = 0
  writeFileSync(files.clock, '0')
  writeFileSync(files.names, JSON.stringify(names))
  const shim = path.join(import.meta.dirname, 'turned-clock.cjs')
  return {
    env: { NODE_OPTIONS: `--require ${shim}`, ROUNDHOUSE_TEST_WORLD: JSON.stringify(files) },
    turn(byMs) {
      ahead += byMs
      writeFileSync(files.clock, String(ahead))
    },
  }
}

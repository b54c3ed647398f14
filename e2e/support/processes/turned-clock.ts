/** A hub's clocks that a test turns, and names that a test gives addresses (`turned-clock.cjs`). The hub's own ticker does the rest. */
import { renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { freshFolder } from '../common/paths'

export interface TurnedClock {
  /** The environment for the hub. */
  env: Record<string, string>
  /** The wall clock. */
  turn(byMs: number): void
  /** The monotonic clock, by which the hub paces what it does. Timers that run go on as they are. */
  pass(byMs: number): void
}

export function turnedClock(names: Record<string, string[]> = {}): TurnedClock {
  const folder = freshFolder('world')
  const files = {
    clock: path.join(folder, 'clock'),
    passed: path.join(folder, 'passed'),
    names: path.join(folder, 'names.json'),
  }
  writeFileSync(files.names, JSON.stringify(names))
  const shim = path.join(import.meta.dirname, 'turned-clock.cjs')
  return {
    env: { NODE_OPTIONS: `--require ${shim}`, ROUNDHOUSE_TEST_WORLD: JSON.stringify(files) },
    turn: newHand(files.clock),
    pass: newHand(files.passed),
  }
}

/** Moves the clock of this file. A hub that reads at this moment finds the file whole. */
function newHand(file: string): (byMs: number) => void {
  let ahead = 0
  const move = (byMs: number) => {
    ahead += byMs
    writeFileSync(`${file}.new`, String(ahead))
    renameSync(`${file}.new`, file)
  }
  move(0)
  return move
}

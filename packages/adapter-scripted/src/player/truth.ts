/**
 * The ground truth: every finished block, written and synced before it is printed. Whoever compares it with the agent's
 * log later finds what was lost on the way, whatever died. Several players may append to one file.
 */
import { existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { BackendOutput } from '@roundhouse/backend-types'

export interface TruthLine {
  /** Counts the blocks of this conversation, across its processes. */
  n: number
  backendSessionId: string
  pid: number
  turn: number
  output: BackendOutput
}

export interface Truth {
  write(turn: number, outputs: BackendOutput[]): void
}

export function openTruth(file: string, backendSessionId: string): Truth {
  let n = countOf(file, backendSessionId)
  const fd = openSync(file, 'a', 0o600)
  return {
    write(turn, outputs) {
      const lines = outputs.map((output): TruthLine => ({ n: ++n, backendSessionId, pid: process.pid, turn, output }))
      writeSync(fd, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      fsyncSync(fd)
    },
  }
}

function countOf(file: string, backendSessionId: string): number {
  if (!existsSync(file)) return 0
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes(`"backendSessionId":"${backendSessionId}"`)).length
}

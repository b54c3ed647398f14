/**
 * Compares what was recorded with what the player says it printed. The player writes a block down before it prints it, so
 * after a kill the truth may end with blocks that nobody received; everything else must match, in order.
 */
import { existsSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { readLines, type TruthLine } from '@roundhouse/adapter-scripted'
import type { BackendOutput } from '@roundhouse/backend-types'

export type { TruthLine }

/** The lines of one conversation, or of all. A line that was cut by a kill is left out. */
export function readTruth(file: string, backendSessionId?: string): TruthLine[] {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return readLines(text).filter((line) => backendSessionId === undefined || line.backendSessionId === backendSessionId)
}

export interface TruthComparison {
  /** Written down, never received. Only the last blocks of a killed process may be here. */
  lost: TruthLine[]
  /** Received, but not what comes next in the truth: made up, doubled or out of order. */
  wrong: BackendOutput[]
}

export function compareWithTruth(truth: TruthLine[], received: BackendOutput[]): TruthComparison {
  const lost: TruthLine[] = []
  const wrong: BackendOutput[] = []
  let at = 0
  for (const output of received.filter(({ kind }) => kind !== 'raw' && kind !== 'tool_progress')) {
    const found = truth.findIndex((line, index) => index >= at && isDeepStrictEqual(line.output, output))
    if (found < 0) wrong.push(output)
    else {
      lost.push(...truth.slice(at, found))
      at = found + 1
    }
  }
  return { lost: [...lost, ...truth.slice(at)], wrong }
}

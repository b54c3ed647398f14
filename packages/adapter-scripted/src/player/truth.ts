/**
 * The ground truth: every finished block, written and synced before it is printed. Whoever compares it with the agent's
 * log later finds what was lost on the way, whatever died. Several players may append to one file.
 *
 *   tail of the conversation -> truth -> stdout
 *
 * A player that is killed between the first two leaves a block that its conversation has and the truth lacks; whoever
 * reads the conversation will show it, so the next player of it completes the truth before anything else.
 */
import { existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { BackendOutput } from '@roundhouse/backend-types'
import { isSaid, type TailLine } from './tail'

export interface TruthLine {
  /** Counts the blocks of this conversation, across its processes. */
  n: number
  backendSessionId: string
  pid: number
  turn: number
  output: BackendOutput
}

export interface Truth {
  write(turn: number, outputs: readonly BackendOutput[]): void
}

/** `tail`: what the conversation has of its latest turn. */
export function openTruth(file: string, backendSessionId: string, tail: readonly TailLine[]): Truth {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const known = readLines(text).filter((line) => line.backendSessionId === backendSessionId)
  let n = known.length
  const fd = openSync(file, 'a', 0o600)
  // A line that was torn by a kill was not printed; it ends here and counts for nobody.
  if (text !== '' && !text.endsWith('\n')) writeSync(fd, '\n')
  const truth: Truth = {
    write(turn, outputs) {
      const lines = outputs.map((output): TruthLine => ({ n: ++n, backendSessionId, pid: process.pid, turn, output }))
      writeSync(fd, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      fsyncSync(fd)
    },
  }
  const written = known.filter(({ turn }) => turn === tail[0]?.turn).length
  for (const { turn, n: inTurn, output } of tail) if (!isSaid(output) && inTurn > written) truth.write(turn, [output])
  return truth
}

/** The lines that are whole. */
export function readLines(text: string): TruthLine[] {
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as TruthLine]
    } catch {
      return []
    }
  })
}

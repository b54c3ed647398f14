/** The number of each line of a change, in the text before and in the one after. A hunk's head says where it begins. Pure. */
import type { DiffRow } from './diff-rows'

export interface LineNumbers {
  before?: number
  after?: number
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)/

export function numbersOf(rows: readonly DiffRow[]): ReadonlyMap<DiffRow, LineNumbers> {
  const numbers = new Map<DiffRow, LineNumbers>()
  let [before, after] = [1, 1]
  for (const row of rows) {
    const [, from, to] = (row.kind === 'hunk' && HUNK.exec(row.pieces[0]?.text ?? '')) || []
    if (from && to) [before, after] = [Number(from), Number(to)]
    if (row.kind === 'removed') numbers.set(row, { before: before++ })
    else if (row.kind === 'added') numbers.set(row, { after: after++ })
    else if (row.kind === 'same') numbers.set(row, { before: before++, after: after++ })
  }
  return numbers
}

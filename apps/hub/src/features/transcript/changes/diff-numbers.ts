/** The line numbers of a change in the old and the new text. The head of a hunk says where it begins. Pure. */
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

/** Turns changes of a text into rows: whole lines, and the words that differ between two lines that replace each other. Pure. */
import { diffLines, diffWordsWithSpace } from 'diff'

export interface DiffPiece {
  text: string
  changed: boolean
}
export interface DiffRow {
  kind: 'same' | 'added' | 'removed' | 'hunk'
  pieces: DiffPiece[]
}
/** One line of the side-by-side view. The head of a hunk is on the left only. */
export interface DiffPair {
  left?: DiffRow
  right?: DiffRow
}

/** Comparing two long, entirely different texts would block the page. Beyond this limit one text simply replaces the other. */
const MOST_EDITS = 1_000
const LONGEST_LINE = 500
/** Lines that share less than this count as two lines, not as one changed line. */
const LEAST_SHARED = 0.35

export function editRows(before: string, after: string): DiffRow[] {
  const parts = diffLines(before, after, { maxEditLength: MOST_EDITS }) ?? [
    { value: before, added: false, removed: true },
    { value: after, added: true, removed: false },
  ]
  return withWords(
    parts.flatMap(({ value, added, removed }) =>
      value === '' ? [] : linesOf(value).map((line) => row(added ? 'added' : removed ? 'removed' : 'same', line)),
    ),
  )
}

/** Rows of a unified diff. */
export function patchRows(diff: string): DiffRow[] {
  if (diff === '') return []
  return withWords(
    linesOf(diff).map((line) => {
      // `\ No newline at end of file` refers to the line above it.
      if (line.startsWith('@@') || line.startsWith('\\')) return row('hunk', line)
      if (line.startsWith('+')) return row('added', line.slice(1))
      if (line.startsWith('-')) return row('removed', line.slice(1))
      return row('same', line.startsWith(' ') ? line.slice(1) : line)
    }),
  )
}

export function sideBySide(rows: readonly DiffRow[]): DiffPair[] {
  const pairs: DiffPair[] = []
  for (let at = 0; at < rows.length; ) {
    const removed = run(rows, at, 'removed')
    const added = run(rows, at + removed.length, 'added')
    for (let i = 0; i < Math.max(removed.length, added.length); i++) {
      pairs.push({ ...(removed[i] ? { left: removed[i] } : {}), ...(added[i] ? { right: added[i] } : {}) } as DiffPair)
    }
    at += removed.length + added.length
    const same = rows[at]
    if (removed.length + added.length === 0 && same) {
      pairs.push(same.kind === 'hunk' ? { left: same } : { left: same, right: same })
      at += 1
    }
  }
  return pairs
}

export function countChanges(rows: readonly DiffRow[]): { added: number; removed: number } {
  const of = (kind: DiffRow['kind']) => rows.filter((each) => each.kind === kind).length
  return { added: of('added'), removed: of('removed') }
}

const row = (kind: DiffRow['kind'], text: string): DiffRow => ({ kind, pieces: [{ text, changed: false }] })
const textOf = ({ pieces }: DiffRow) => pieces.map(({ text }) => text).join('')
const linesOf = (text: string) => text.replace(/\n$/, '').split('\n')

function run(rows: readonly DiffRow[], from: number, kind: DiffRow['kind']): DiffRow[] {
  let to = from
  while (rows[to]?.kind === kind) to += 1
  return rows.slice(from, to)
}

/** Pairs each removed line with the added line at its place, and marks the differences. */
function withWords(rows: DiffRow[]): DiffRow[] {
  const out = [...rows]
  for (let at = 0; at < rows.length; ) {
    const removed = run(rows, at, 'removed')
    const added = run(rows, at + removed.length, 'added')
    for (let i = 0; i < Math.min(removed.length, added.length); i++) {
      const pair = wordsOf(removed[i] as DiffRow, added[i] as DiffRow)
      if (pair) [out[at + i], out[at + removed.length + i]] = pair
    }
    at += Math.max(1, removed.length + added.length)
  }
  return out
}

function wordsOf(removed: DiffRow, added: DiffRow): [DiffRow, DiffRow] | null {
  const [before, after] = [textOf(removed), textOf(added)]
  if (Math.max(before.length, after.length) > LONGEST_LINE) return null
  const parts = diffWordsWithSpace(before, after)
  const shared = parts.filter((part) => !part.added && !part.removed).reduce((sum, { value }) => sum + value.length, 0)
  if (shared < LEAST_SHARED * Math.max(before.length, after.length)) return null
  const side = (leftOut: 'added' | 'removed') =>
    parts.filter((part) => !part[leftOut]).map((part) => ({ text: part.value, changed: part.added || part.removed }))
  return [
    { ...removed, pieces: side('added') },
    { ...added, pieces: side('removed') },
  ]
}

/**
 * Builds a unified diff of two texts with three lines around each change, up to a maximum length. It compares the texts
 * themselves and prints the redacted lines, one for each original line. Pure.
 */
import { diffArrays } from 'diff'
import type { Region } from './changed-text'

const AROUND = 3
/** Comparing two long, wholly different texts would hold the host: beyond the bound one simply replaces the other. */
const MOST_EDITS = 1_000
const LONGEST_LINE = 2_000
const NO_END = '\n\\ No newline at end of file'

export interface Side {
  text: string
  /** The same, with as many lines. */
  shown: string
}

export interface LineDiff {
  diff: string
  added: number
  removed: number
  /** It is longer than it may be; this is its beginning. */
  cut: boolean
}

interface Change {
  /** First line, and how many: of the text before, and of the one after. */
  from: number
  removed: number
  at: number
  added: number
}

export function lineDiff(before: Side, after: Side, regions: readonly Region[], mostBytes: number): LineDiff {
  const [left, right] = [linesOf(before.text), linesOf(after.text)]
  const changes = regions.flatMap((region) => changesIn(left, right, region))
  const [shownLeft, shownRight] = [linesOf(before.shown), linesOf(after.shown)]
  let cut = false
  let bytes = 0
  const rows: string[] = []
  const write = (sign: string, line = '') => {
    const long = line.length > LONGEST_LINE
    const row = `${sign}${long ? `${line.slice(0, LONGEST_LINE)} …` : line}`
    bytes += Buffer.byteLength(row) + 1
    cut ||= long || bytes > mostBytes
    if (bytes <= mostBytes) rows.push(row)
  }
  for (const hunk of hunksOf(changes)) {
    if (bytes > mostBytes) break
    writeHunk(hunk, shownLeft, shownRight, write)
  }
  return {
    diff: rows.join('\n'),
    added: sum(changes.map((change) => change.added)),
    removed: sum(changes.map((change) => change.removed)),
    cut,
  }
}

/** A last line without its end says so: it is another line than one with it. */
function linesOf(text: string): string[] {
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  return last === '' ? lines : [...lines, `${last}${NO_END}`]
}

function changesIn(left: readonly string[], right: readonly string[], { before, after }: Region): Change[] {
  let [from, to] = [before.from, Math.min(before.to, left.length)]
  let [at, end] = [after.from, Math.min(after.to, right.length)]
  while (from < to && at < end && left[from] === right[at]) {
    from += 1
    at += 1
  }
  while (from < to && at < end && left[to - 1] === right[end - 1]) {
    to -= 1
    end -= 1
  }
  const parts = diffArrays(left.slice(from, to), right.slice(at, end), { maxEditLength: MOST_EDITS })
  if (!parts) return [{ from, removed: to - from, at, added: end - at }]
  const changes: Change[] = []
  let open: Change | null = null
  for (const part of parts) {
    const { length } = part.value
    if (!part.added && !part.removed) {
      from += length
      at += length
      open = null
      continue
    }
    if (!open) {
      open = { from, removed: 0, at, added: 0 }
      changes.push(open)
    }
    if (part.removed) {
      open.removed += length
      from += length
    } else {
      open.added += length
      at += length
    }
  }
  return changes
}

/** Changes whose surroundings meet stand together. */
function hunksOf(changes: readonly Change[]): Change[][] {
  const hunks: Change[][] = []
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1)
    if (last && change.from - (last.from + last.removed) <= 2 * AROUND) hunks.at(-1)?.push(change)
    else hunks.push([change])
  }
  return hunks
}

type WriteRow = (sign: string, line?: string) => void

function writeHunk(changes: readonly Change[], left: readonly string[], right: readonly string[], write: WriteRow) {
  const [first, last] = [changes[0], changes.at(-1)]
  if (!first || !last) return
  const from = Math.max(0, first.from - AROUND)
  const to = Math.min(left.length, last.from + last.removed + AROUND)
  const at = first.at - (first.from - from)
  const end = last.at + last.added + (to - last.from - last.removed)
  write(`@@ -${range(from, to - from)} +${range(at, end - at)} @@`)
  let line = from
  for (const change of changes) {
    for (; line < change.from; line += 1) write(' ', left[line])
    for (const gone of left.slice(line, line + change.removed)) write('-', gone)
    for (const come of right.slice(change.at, change.at + change.added)) write('+', come)
    line += change.removed
  }
  for (; line < to; line += 1) write(' ', left[line])
}

/** An empty range names the line before it. */
const range = (from: number, length: number) => `${length === 0 ? from : from + 1},${length}`

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

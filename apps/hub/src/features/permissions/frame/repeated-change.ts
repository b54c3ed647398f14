/**
 * Some programs describe a change of a file twice: by its texts, and as a diff, with the path and the old text again. The page
 * shows the change once, against the file that the machine found. Pure.
 */
import type { FileChange } from '@roundhouse/backend-types'
import type { DrawnChange, ToolDetail } from '../../transcript/changes/input-detail'

type Members = Array<[name: string, value: unknown]>
type Lines = Record<'removed' | 'added', string[]>

/** Leaves out only what the drawn change says in full: anything that differs from it stays. */
export function withoutRepeatedChange(
  members: Members,
  detail: ToolDetail,
  found: readonly FileChange[] = [],
): Members {
  const [change, ...more] = detail.kind === 'changes' ? detail.changes : []
  if (change === undefined || more.length > 0) return members
  const fact = found.find(({ path }) => path === change.path)
  return members.filter(([name, value]) => typeof value !== 'string' || !isRepeated(name, value, change, fact))
}

function isRepeated(name: string, value: string, change: DrawnChange, fact: FileChange | undefined): boolean {
  if (/^file_?path$/i.test(name)) return value === change.path
  if (!fact || fact.diffCut) return false
  if (name === 'diff') return isSameDiff(value, change, fact)
  return name === 'before' && change.kind === 'write' && isFound(value, fact)
}

/** The machine compared the new text with the file itself. */
const isFound = (before: string, { was, diff }: FileChange) =>
  was === 'missing' ? before === '' : was === 'file' && diff !== undefined

function isSameDiff(value: string, change: DrawnChange, fact: FileChange): boolean {
  const drawn = linesDrawn(change, fact)
  const start = value.search(/^@@/m)
  if (!drawn || start < 0 || !isHeadOf(value.slice(0, start), change.path)) return false
  return JSON.stringify(drawn) === JSON.stringify(linesOf(value.slice(start)))
}

function linesDrawn(change: DrawnChange, { was, diff }: FileChange): Lines | null {
  if (diff !== undefined) return linesOf(diff)
  if (was !== 'missing' || change.kind !== 'write') return null
  return linesOf(change.text.replace(/\n$/, '').replace(/^/gm, '+'))
}

const isHeadOf = (head: string, path: string) =>
  head
    .split('\n')
    .every((line) => /^=*$/.test(line) || [`Index: ${path}`, `--- ${path}`, `+++ ${path}`].includes(line.trimEnd()))

/** Its lines that go and that come. A program may cut off the indentation that they share. */
function linesOf(diff: string): Lines {
  const changed = diff.split('\n').filter((line) => /^[+-]/.test(line))
  const shared = Math.min(...changed.map((line) => line.slice(1).search(/\S/)).filter((at) => at >= 0))
  const those = (sign: string) =>
    changed.filter((line) => line.startsWith(sign)).map((line) => (line.trim() === sign ? '' : line.slice(1 + shared)))
  return { removed: those('-'), added: those('+') }
}

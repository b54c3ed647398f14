/**
 * Computes what an action would change in files, for the people who decide (PERM-7). Each file is read once, so that the
 * page shows the same bytes that the digest covers (PERM-8).
 */
import { COMPARED_FILES, type FileChange, type InputShape, type NotCompared } from '@roundhouse/backend-types'
import { isInside } from '../files/is-inside'
import type { Redactor } from '../redact/redactor'
import { changedText, withoutReturns } from './changed-text'
import { lineDiff } from './line-diff'
import { type PlannedChange, plannedChanges } from './planned-changes'
import { type Looked, lookAtFile, type SeenFile } from './seen-file'

/** The limit for all diffs of one action; lower if the input itself is long, so that both fit into one event (LOG-6). */
const DIFF_BYTES = 32 * 1024
const ASK_BYTES = 120 * 1024

export interface LookedChange {
  change: PlannedChange
  looked: Looked
}

export function lookAtChanges(
  shape: InputShape | undefined,
  input: unknown,
  cwd: string,
  { folders, roots }: { folders: readonly string[]; roots: readonly string[] },
): LookedChange[] {
  const isIn = (path: string, places: readonly string[]) => places.some((place) => isInside(path, place))
  // To a program without a sandbox the whole machine is its folder.
  const within = (path: string) => isIn(path, folders) && isIn(path, roots)
  const changes = plannedChanges(shape, input).slice(0, COMPARED_FILES)
  return changes.map((change) => ({ change, looked: lookAtFile(change.path, cwd, within) }))
}

export const seenOf = (changes: readonly LookedChange[]): SeenFile[] => changes.map(({ looked }) => looked.seen)

export function shownChanges(changes: readonly LookedChange[], inputBytes: number, redact: Redactor): FileChange[] {
  let left = Math.min(DIFF_BYTES, Math.max(0, ASK_BYTES - inputBytes))
  return changes.map((one) => {
    const shown = shownChange(one, left, redact)
    left -= Buffer.byteLength(JSON.stringify(shown.diff ?? ''))
    return { ...shown, path: redact(shown.path).text.slice(0, 4096) }
  })
}

function shownChange({ change, looked }: LookedChange, mostBytes: number, redact: Redactor): FileChange {
  const { path } = change
  const { seen, text, exists } = looked
  const unseen: NotCompared | null = 'unseen' in seen ? seen.unseen : exists && text === undefined ? 'not_text' : null
  if (unseen) return { path, was: exists && unseen !== 'unreadable' ? 'file' : 'unknown', unseen }
  if (!exists) return { path, was: 'missing' }
  const before = withoutReturns(text ?? '')
  const lines = before === '' ? 0 : before.replace(/\n$/, '').split('\n').length
  const crlf = text?.includes('\r\n') ? { crlf: true as const } : {}
  const changed = changedText(before, change)
  const places = change.kind === 'replace' && changed.places !== undefined ? { places: changed.places } : {}
  const told: FileChange = { path, was: 'file', lines, ...crlf, ...places }
  if (!('after' in changed)) return told
  const clean = (side: string) => ({ text: side, shown: redact(side, sameLines).text })
  const { diff, added, removed, cut } = lineDiff(clean(before), clean(changed.after), changed.regions, mostBytes)
  return { ...told, diff, added, removed, ...(cut ? { diffCut: true } : {}) }
}

/** Redacted text keeps its line breaks, so that later lines keep their numbers. */
const sameLines = (kind: string, secret: string) => `[redacted:${kind}]${'\n'.repeat(secret.split('\n').length - 1)}`

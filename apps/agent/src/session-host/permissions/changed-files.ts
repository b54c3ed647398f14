/** Compares the files of an action between the request and the decision (PERM-8). Pure. */
import type { ActionNow } from './ask'
import type { Action } from './digest'

/**
 * Returns the changed files if nothing else changed and the command only writes to them and prints them: the action is
 * then still the same, and earlier allowed actions wrote there. Returns null for a different action.
 */
export function onlyPrintedFilesChanged(before: Action, { action: now, printed }: ActionNow): string[] | null {
  const isFree = (file: { path: string }) => printed.includes(file.path)
  const rest = (action: Action) => JSON.stringify({ ...action, files: action.files.filter((file) => !isFree(file)) })
  if (rest(before) !== rest(now)) return null
  const hashes = new Map(before.files.map(({ path, sha256 }) => [path, sha256]))
  const changed = now.files.filter(({ path, sha256 }) => hashes.get(path) !== sha256)
  return changed.length === 0 ? null : changed.map(({ path }) => path)
}

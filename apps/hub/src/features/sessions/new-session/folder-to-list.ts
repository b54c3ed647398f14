/**
 * Of which folder the contents help a person who types `path`: the last whole one of it. `null` where it lies outside the
 * folders that the machine allows, which it would refuse to list. Pure.
 */
import { isAllowedFolder } from './allowed-folder'

export function folderToList(path: string, roots: readonly string[]): string | null {
  const end = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
  const folder = roots.includes(path) ? path : path.slice(0, Math.max(end, 0)) || path.slice(0, 1)
  return isAllowedFolder(folder, roots) ? folder : null
}

/** Whether a machine that has listed the folder around `path` has none of that name. Hidden ones are never listed. Pure. */
export function isMissing(path: string, listed: { folders: readonly { name: string }[]; complete?: boolean }): boolean {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  if (name === '' || name.startsWith('.') || listed.complete === false) return false
  return !listed.folders.some((folder) => folder.name === name)
}

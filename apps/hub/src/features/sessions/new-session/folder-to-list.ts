/**
 * The folder to list for a person who types `path`: its last complete folder. `null` if it is outside the folders that the
 * machine allows, because the machine would refuse to list it. Pure.
 */
import { isAllowedFolder } from './allowed-folder'

export function folderToList(path: string, roots: readonly string[]): string | null {
  const end = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
  const folder = roots.includes(path) ? path : path.slice(0, Math.max(end, 0)) || path.slice(0, 1)
  return isAllowedFolder(folder, roots) ? folder : null
}

/** Whether the machine's list of the folder around `path` lacks that name. Hidden folders are never listed. Pure. */
export function isMissing(path: string, listed: { folders: readonly { name: string }[]; complete?: boolean }): boolean {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  if (name === '' || name.startsWith('.') || listed.complete === false) return false
  return !listed.folders.some((folder) => folder.name === name)
}

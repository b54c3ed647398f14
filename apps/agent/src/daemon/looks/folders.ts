/** Answers the question for folders (CMD-6), only inside the roots. Hidden folders are left out. */
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { CodedError, type QuestionAnswer } from '@roundhouse/backend-types'
import { isInside } from '../../files/is-inside'

const MOST_FOLDERS = 500

export function listFolders(roots: readonly string[], asked: string | undefined): QuestionAnswer<'folders'> {
  const [only] = roots
  if (asked === undefined && (roots.length !== 1 || only === undefined)) {
    return { path: '', roots: [...roots], folders: roots.map((root) => ({ name: root, path: root })) }
  }
  const real = realFolder(asked ?? only ?? '')
  if (real === null || !roots.some((root) => isInside(real, root))) {
    throw new CodedError('PATH_NOT_ALLOWED', undefined, { path: asked })
  }
  const folders = foldersIn(real, roots)
  const complete = folders.length <= MOST_FOLDERS
  return { path: real, roots: [...roots], folders: folders.slice(0, MOST_FOLDERS), complete }
}

function realFolder(asked: string): string | null {
  if (!path.isAbsolute(asked) || asked.includes('\0')) return null
  try {
    const real = realpathSync.native(asked)
    return statSync(real).isDirectory() ? real : null
  } catch {
    return null
  }
}

/** Only links are resolved; other entries are listed by name, so that a disk below that does not answer delays nobody. */
function foldersIn(folder: string, roots: readonly string[]): Array<{ name: string; path: string }> {
  let entries: Dirent[]
  try {
    entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'))
  } catch (cause) {
    throw new CodedError('PATH_NOT_ALLOWED', 'The agent cannot read that folder.', { path: folder }, cause)
  }
  return entries
    .sort((a, b) => a.name.localeCompare(b.name))
    .flatMap((entry) => {
      const place = path.join(folder, entry.name)
      const real = entry.isDirectory() ? place : entry.isFile() ? null : realFolder(place)
      return real !== null && roots.some((root) => isInside(real, root)) ? [{ name: entry.name, path: real }] : []
    })
}

/** The folders in which a command may be when it reads a name. */
import { statSync } from 'node:fs'
import path from 'node:path'

const MOST_FOLDERS = 16
/** More than that takes too long to ask a person. */
const MOST_LOOKS = 8_000

export interface NamedFolders {
  /** Its own first. */
  folders: string[]
  /** False: it names more than these. */
  all: boolean
}

/** Where a command may be when it reads a name: in its folder, and in each that it names (`cd build && ./run.sh`, `make -C build`). */
export function foldersOf(words: readonly string[], cwd: string): NamedFolders {
  const folders = [cwd]
  for (const word of words) {
    for (const found of folders.map((folder) => path.resolve(folder, word)).filter(isFolder)) {
      if (folders.includes(found)) continue
      folders.push(found)
      const looks = words.length * (folders.length - 1)
      if (folders.length > MOST_FOLDERS || looks > MOST_LOOKS) return { folders: [cwd], all: false }
    }
  }
  return { folders, all: true }
}

function isFolder(asked: string): boolean {
  try {
    return statSync(asked, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false // a name that is too long, or nobody's to look at
  }
}

/** The words of a command, as far as they may name files, and the folders in which it may be when it reads them. */
import { statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathsOfFileUrl } from './file-urls'

/** What a command may name as a file: it whole, and each of its words, with the home folder put in as a shell would, or as an address. */
export function wordsOf(input: unknown): string[] {
  const command = typeof input === 'object' && input !== null ? (input as { command?: unknown }).command : undefined
  const parts = Array.isArray(command) ? command.filter((part) => typeof part === 'string') : [command]
  return parts
    .flatMap((part) => (typeof part === 'string' ? [part, ...withHome(part).split(/[\s'"`;|&<>()$={}]+/)] : []))
    .flatMap((word) => [word, ...pathsOfFileUrl(word)])
    .filter(isName)
}

const withHome = (command: string) =>
  command.replace(/\$HOME\b|\$\{HOME\}|(?<![\w/.])~(?=\/|[\s'"`;|&)]|$)/g, () => os.homedir())

/** Of a length that a kernel takes. */
export function isName(word: string): boolean {
  return word !== '' && word.length <= 4_096 && !word.includes('\0')
}

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

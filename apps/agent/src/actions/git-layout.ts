/**
 * Finds the repository in which a folder lies, in the two layouts that git makes by itself: a folder `.git`, and another work
 * tree of one. Git also takes a folder for a repository that only has the files of one, and obeys its configuration: whatever
 * git could take for one is refused.
 */
import { accessSync, constants, type Dir, lstatSync, opendirSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'

const MOST_BYTES = 256 * 1024

export interface Layout {
  workTree: string
  /** The index, and what else counts for this work tree alone. */
  own: string
  /** The configuration and the objects. */
  common: string
}

/** `from`: real path. Null: there is no repository. Throws where it is none of these. */
export function layoutOf(from: string): Layout | null {
  for (let folder = from; ; folder = path.dirname(folder)) {
    // To git a bare repository, if its other files are there too, or where `commondir` says.
    if (lstat(path.join(folder, 'HEAD'))) throw new Error('it may be a bare repository')
    const place = path.join(folder, '.git')
    const found = lstat(place)
    if (found?.isDirectory()) return sound({ workTree: folder, own: place, common: place })
    if (found?.isFile()) return sound({ workTree: folder, ...otherWorkTree(readBounded(place)) })
    if (found) throw new Error('.git is neither folder nor file')
    if (folder === path.dirname(folder)) return null
  }
}

/** As `git worktree add` makes it: `.git/worktrees/NAME` of the repository. */
function otherWorkTree(text: string): Pick<Layout, 'own' | 'common'> {
  const own = /^gitdir: (\/[^\n]+)\n?$/.exec(text)?.[1] ?? ''
  const common = path.dirname(path.dirname(own))
  const isOne = path.basename(path.dirname(own)) === 'worktrees' && path.basename(common) === '.git'
  if (!isOne || realpathSync(own) !== own || readBounded(path.join(own, 'commondir')).trim() !== '../..') {
    throw new Error('another kind of repository')
  }
  return { own, common }
}

const HEAD = /^(?:ref: refs\/[^\n]+|[0-9a-f]{40}|[0-9a-f]{64})\n?$/

/** Git passes over a `.git` that is no repository, and takes one beside or above it. */
function sound(layout: Layout): Layout {
  const { own, common } = layout
  if (!HEAD.test(readBounded(path.join(own, 'HEAD')))) throw new Error('no repository')
  for (const name of ['objects', 'refs']) {
    const folder = path.join(common, name)
    if (!lstat(folder)?.isDirectory()) throw new Error('no repository')
    accessSync(folder, constants.X_OK)
  }
  return layout
}

/** With more entries, the layout counts as unknown. */
const MOST_ENTRIES = 20_000

/** Git prints some of its own files, and names of branches: a link among them prints any file of the user. */
export function isWithoutLinks(top: string, most = MOST_ENTRIES): boolean {
  let left = most
  const folders = [top]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      left -= 1
      if (left < 0 || entry.isSymbolicLink()) return false
      if (entry.isDirectory()) folders.push(path.join(folder, entry.name))
    }
  }
  return true
}

/** One after the other: a single folder may have millions. */
function* entriesOf(folder: string) {
  const opened: Dir = opendirSync(folder, { bufferSize: 256 })
  try {
    for (let entry = opened.readSync(); entry; entry = opened.readSync()) yield entry
  } finally {
    opened.closeSync()
  }
}

export function readBounded(file: string): string {
  const found = lstat(file)
  if (found === null) return ''
  if (!found.isFile() || found.size > MOST_BYTES || realpathSync(file) !== file) throw new Error('no plain file')
  return readFileSync(file, 'utf8')
}

export function lstat(file: string) {
  try {
    return lstatSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}

/**
 * Checks that git runs only itself when it reads in this folder. A repository that was copied with its `.git` may have a
 * configuration that names programs: `core.fsmonitor`, filters, `textconv`, an external diff, hooks. The check reads the
 * folder's own files, without git. It is a list of harmless settings: any other key, link or layout is refused.
 */
import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'

const MOST_BYTES = 256 * 1024
/** The one hook that reading runs. */
const HOOK = 'post-index-change'

/** `from`: real path. */
export function runsNothing(from: string): boolean {
  try {
    const repository = layoutOf(from)
    return repository === null || isPlain(repository)
  } catch {
    return false
  }
}

/** The folder with the objects of the repository in which this one lies; null where there is none, or none that is known here. */
export function repositoryOf(from: string): string | null {
  try {
    return layoutOf(from)?.common ?? null
  } catch {
    return null
  }
}

interface Layout {
  workTree: string
  /** The index, and what else counts for this work tree alone. */
  own: string
  /** The configuration and the objects. */
  common: string
}

/** Throws where it is none of a repository with its `.git`, and another work tree of one. */
function layoutOf(from: string): Layout | null {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const place = path.join(folder, '.git')
    const found = lstat(place)
    if (found?.isDirectory()) return { workTree: folder, own: place, common: place }
    if (found?.isFile()) return { workTree: folder, ...otherWorkTree(readBounded(place)) }
    if (found) throw new Error('.git is neither folder nor file')
    // A folder that looks like a bare repository is one to git.
    if (lstat(path.join(folder, 'HEAD')) && lstat(path.join(folder, 'objects'))) throw new Error('a bare repository')
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

function isPlain({ workTree, own, common }: Layout): boolean {
  const shared = (...names: string[]) => path.join(common, ...names)
  const isAbsent = (file: string) => lstat(file) === null
  return (
    isAbsent(path.join(own, 'config.worktree')) &&
    isAbsent(shared('commondir')) &&
    isAbsent(shared('hooks', HOOK)) &&
    isAbsent(shared('objects', 'info', 'alternates')) &&
    isAbsent(shared('objects', 'info', 'http-alternates')) &&
    ['config', 'HEAD', 'packed-refs', 'refs', 'objects', 'hooks', 'info'].every((name) => isNoLink(shared(name))) &&
    ['HEAD', 'index'].every((name) => isNoLink(path.join(own, name))) &&
    // Objects of another repository are no files of this one.
    isWithoutLinks(shared('objects')) &&
    isWithoutLinks(shared('objects', 'pack')) &&
    isHarmlessText(readBounded(shared('config')), workTree) &&
    !holdsRepositories(path.join(own, 'index'))
  )
}

const isNoLink = (file: string) => lstat(file)?.isSymbolicLink() !== true

function isWithoutLinks(folder: string): boolean {
  if (lstat(folder) === null) return true
  return readdirSync(folder, { withFileTypes: true }).every((entry) => !entry.isSymbolicLink())
}

function readBounded(file: string): string {
  const found = lstat(file)
  if (found === null) return ''
  if (!found.isFile() || found.size > MOST_BYTES || realpathSync(file) !== file) throw new Error('no plain file')
  return readFileSync(file, 'utf8')
}

function lstat(file: string) {
  try {
    return lstatSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}

const MOST_INDEX_BYTES = 32 * 1024 * 1024
const HEADER = 12
const FIXED = 62
const REPOSITORY = 0o160000

/** Git goes into a repository that this one's index names, and does there what its configuration says. */
function holdsRepositories(file: string): boolean {
  const found = lstat(file)
  if (found === null) return false
  if (!found.isFile() || found.size > MOST_INDEX_BYTES) throw new Error('no plain index')
  const index = readFileSync(file)
  const version = index.readUInt32BE(4)
  // Others are packed; a program that asks is better than one that guesses.
  if (index.toString('latin1', 0, 4) !== 'DIRC' || (version !== 2 && version !== 3)) throw new Error('no plain index')
  let at = HEADER
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    if ((index.readUInt32BE(at + 24) & 0o170000) === REPOSITORY) return true
    const flags = index.readUInt16BE(at + 60)
    const name = at + FIXED + (version === 3 && (flags & 0x4000) !== 0 ? 2 : 0)
    const end = index.indexOf(0, name)
    if (end < 0) throw new Error('a torn index')
    at += (end - at + 8) & ~7
  }
  return isInTwoFiles(index, at)
}

/** The hash at the end. */
const TRAILER = 20

/** Behind the entries stand extensions: a name of four letters, a size, so many bytes. */
function isInTwoFiles(index: Buffer, from: number): boolean {
  for (let at = from; at + 8 <= index.length - TRAILER; at += 8 + index.readUInt32BE(at + 4)) {
    if (index.toString('latin1', at, at + 4) === 'link') return true
  }
  return false
}

/** Keys by section that name no program, no other file and no way to one. */
const harmless: Readonly<Record<string, RegExp>> = {
  core: /^(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|abbrev|quotepath|untrackedcache|longpaths)$/,
  remote: /^(?:url|pushurl|fetch|tagopt|prune|gh-resolved)$/,
  branch: /^(?:remote|merge|rebase|pushremote|description|vscode-merge-base|github-pr-owner-number)$/,
  user: /^(?:name|email)$/,
  submodule: /^(?:url|active|update)$/,
  diff: /^(?:algorithm|renames|colormoved|mnemonicprefix|noprefix)$/,
  merge: /^(?:ff|conflictstyle)$/,
  commit: /^gpgsign$/,
  fetch: /^prune$/,
  rerere: /^enabled$/,
  lfs: /^(?:repositoryformatversion|access|locksverify)$/,
  pull: /^(?:rebase|ff)$/,
  push: /^(?:default|autosetupremote)$/,
  init: /^defaultbranch$/,
  color: /^ui$/,
}

function isHarmlessText(text: string, workTree: string): boolean {
  let section = ''
  return text.split('\n').every((line) => {
    if (/^\s*(?:[#;].*)?$/.test(line)) return true
    const named = /^\s*\[([A-Za-z]+)(?: "[^"\\]*")?\]\s*$/.exec(line)
    if (named) {
      section = named[1]?.toLowerCase() ?? ''
      return Object.hasOwn(harmless, section)
    }
    const [, key = '', value = ''] = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*([^\\\r]*)$/.exec(line) ?? []
    if (section === 'core' && key.toLowerCase() === 'hookspath') return isWithoutHook(value.trim(), workTree)
    return harmless[section]?.test(key.toLowerCase()) === true
  })
}

/** Many projects keep their hooks beside their code. */
function isWithoutHook(folder: string, workTree: string): boolean {
  return /^[\w./-]+$/.test(folder) && lstat(path.resolve(workTree, folder, HOOK)) === null
}

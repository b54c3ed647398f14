/**
 * Checks that git runs only itself when it reads in this folder. A repository that was copied with its `.git` may have a
 * configuration that names programs: `core.fsmonitor`, filters, `textconv`, an external diff, hooks. The check reads the
 * folder's own files, without git. It is a list of harmless settings: any other key, link or layout is refused.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { isWithoutLinks, type Layout, layoutOf, lstat, readBounded } from './git-layout'

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

function isPlain({ workTree, own, common }: Layout): boolean {
  const shared = (...names: string[]) => path.join(common, ...names)
  const isAbsent = (file: string) => lstat(file) === null
  return (
    isAbsent(path.join(own, 'config.worktree')) &&
    isAbsent(shared('commondir')) &&
    isAbsent(shared('hooks', HOOK)) &&
    isAbsent(shared('objects', 'info', 'alternates')) &&
    isAbsent(shared('objects', 'info', 'http-alternates')) &&
    isWithoutLinks(common) &&
    isHarmlessText(readBounded(shared('config')), workTree) &&
    !holdsRepositories(path.join(own, 'index'))
  )
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

/** Extensions follow the entries: each is a name of four letters, a size, and that many bytes. */
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

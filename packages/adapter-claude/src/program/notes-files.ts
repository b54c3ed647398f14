/**
 * The files in which a repository instructs Claude Code, in its own order (measured with 2.1.330): from the top down, in each
 * folder `CLAUDE.md`, `.claude/CLAUDE.md`, `.claude/rules`, `CLAUDE.local.md`, each before what it imports. Links and imports
 * are followed to files inside the machine's roots that the policy does not deny, and nowhere else.
 */
import { readdir, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isInside, readStart } from '@roundhouse/adapter-kit'
import { importsIn, isForSomeFiles } from './notes-text'

/** In all, of what the program would read without a limit. */
const MAX_BYTES = 64 * 1024
const DEEPEST_IMPORT = 5
const MOST_FILES = 200

export interface NotesPlace {
  /** Real path. */
  workDir: string
  /** Real paths. What lies outside of them is not read. */
  roots: readonly string[]
  /** Real paths. */
  denied: readonly string[]
}

export interface NotesFile {
  path: string
  text: string
}

export async function readNotesFiles(place: NotesPlace): Promise<NotesFile[]> {
  const reader = new NotesReader(place)
  for (const folder of foldersAbove(place)) {
    for (const name of ['CLAUDE.md', '.claude/CLAUDE.md']) await reader.add(join(folder, name), 0)
    for (const rule of await rulesIn(join(folder, '.claude/rules'))) await reader.add(rule, 0)
    await reader.add(join(folder, 'CLAUDE.local.md'), 0)
  }
  return reader.files
}

/** Those that the machine's roots hold, the highest first. */
export function foldersAbove({ workDir, roots }: Pick<NotesPlace, 'workDir' | 'roots'>): string[] {
  const folders: string[] = []
  for (let at = workDir; isInside(at, roots); at = dirname(at)) {
    folders.unshift(at)
    if (dirname(at) === at) break
  }
  return folders
}

async function rulesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => join(folder, name))
}

class NotesReader {
  readonly files: NotesFile[] = []
  private readonly seen = new Set<string>()
  private left = MAX_BYTES

  constructor(private readonly place: NotesPlace) {}

  /** The file and what it imports; nothing where it may not be read, was read before, or is for some files only. */
  async add(path: string, depth: number): Promise<void> {
    if (this.left <= 0 || depth > DEEPEST_IMPORT || this.seen.size >= MOST_FILES) return
    const real = await realpath(path).catch(() => null)
    if (real === null || this.seen.has(real) || !this.isAllowed(real, path)) return
    this.seen.add(real)
    const text = await readStart(real, this.left)
    if (text === undefined || text.trim() === '' || isForSomeFiles(text)) return
    this.left -= Buffer.byteLength(text)
    this.files.push({ path, text: text.trim() })
    for (const name of importsIn(text)) {
      const imported = resolve(dirname(path), name)
      // The program asks its owner about imports from elsewhere.
      if (isInside(imported, [this.place.workDir])) await this.add(imported, depth + 1)
    }
  }

  private isAllowed(real: string, path: string): boolean {
    const { roots, denied } = this.place
    return isInside(real, roots) && !isInside(real, denied) && !isInside(path, denied)
  }
}

/**
 * The repository's `AGENTS.md`, for machines whose policy does not trust project configuration: Codex then reads none of it,
 * although these files are only text. In Codex's own order (measured with 0.169): from the folder that has `.git` down to the
 * work folder, in each `AGENTS.override.md` or else `AGENTS.md`, 32 KiB in all. The owner's own file in `CODEX_HOME` Codex
 * reads itself. A link is followed only to a file inside the machine's roots that the policy does not deny.
 */
import { lstat, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isInside, readStart } from '@roundhouse/adapter-kit'
import type { LeftOut } from '@roundhouse/backend-types'

const MAX_BYTES = 32 * 1024
const names = ['AGENTS.override.md', 'AGENTS.md']

/**
 * What Codex would load of a repository that it trusts, and what of it runs or changes what may run. Skills (`.agents/skills`)
 * it reads everywhere; they are text as well.
 */
const configuration = [
  ['.codex/config.toml', 'settings and MCP servers'],
  ['.codex/hooks.json', 'hooks'],
  ['.codex/rules', 'command rules'],
] as const

export interface NotesPlace {
  /** With its symbolic links resolved. */
  workDir: string
  /** Real paths. What lies outside of them is not read. */
  roots: readonly string[]
  denied: readonly string[]
}

/** Undefined where there is none. */
export async function readProjectNotes(place: NotesPlace): Promise<string | undefined> {
  const parts: string[] = []
  let left = MAX_BYTES
  for (const folder of await foldersOf(place)) {
    const file = await notesIn(folder)
    const text = file && left > 0 ? await readInside(file, place, left) : undefined
    if (!text) continue
    left -= Buffer.byteLength(text)
    if (text.trim() !== '') parts.push(text.trim())
  }
  return parts.length === 0 ? undefined : parts.join('\n\n')
}

export async function leftOutOf(workDir: string): Promise<LeftOut[]> {
  const found = await Promise.all(
    configuration.map(async ([path, what]) => ((await exists(join(workDir, path))) ? [{ path, what }] : [])),
  )
  return found.flat()
}

/** Where a repository that Codex trusts may name MCP servers. */
export function configurationAbove(workDir: string): string[] {
  const folders: string[] = []
  for (let at = workDir; !folders.includes(at); at = dirname(at)) folders.push(at)
  return folders.map((folder) => join(folder, '.codex/config.toml'))
}

/** What is put above the conversation: the caller's text, then the notes under a heading that says whose they are. */
export function withProjectNotes(systemPrompt: string | undefined, notes: string | undefined): string | undefined {
  const parts = [systemPrompt, notes === undefined ? undefined : `Notes of this project (AGENTS.md):\n\n${notes}`]
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n') || undefined
}

/** From the top of the repository down; without one the work folder alone. */
async function foldersOf({ workDir, roots }: NotesPlace): Promise<string[]> {
  const folders: string[] = []
  for (let at = workDir; isInside(at, roots); at = dirname(at)) {
    folders.unshift(at)
    if (await exists(join(at, '.git'))) return folders
    if (dirname(at) === at) break
  }
  return isInside(workDir, roots) ? [workDir] : []
}

async function notesIn(folder: string): Promise<string | undefined> {
  for (const name of names) if (await exists(join(folder, name))) return join(folder, name)
  return undefined
}

async function readInside(path: string, { roots, denied }: NotesPlace, maxBytes: number): Promise<string | undefined> {
  try {
    const real = await realpath(path)
    if (!isInside(real, roots) || isInside(real, denied) || isInside(path, denied)) return undefined
    return await readStart(real, maxBytes)
  } catch {
    return undefined
  }
}

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  )

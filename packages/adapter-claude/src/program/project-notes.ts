/**
 * The repository's instructions, for machines whose policy does not trust project configuration: the CLI then loads none of it,
 * although these files are only text. And what of its configuration runs, or changes what may run: that is left out and named.
 */
import { lstat, realpath } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { LeftOut } from '@roundhouse/backend-types'
import { foldersAbove, type NotesFile, readNotesFiles } from './notes-files'

/** What the CLI would load of a repository that it trusts: of the work folder alone, and of each folder above it. */
const ofWorkFolder = [
  ['.claude/settings.json', 'settings and hooks'],
  ['.claude/settings.local.json', 'settings and hooks'],
] as const
const ofEachFolder = [
  ['.claude/commands', 'commands'],
  ['.claude/agents', 'agents'],
  ['.claude/skills', 'skills'],
  ['.mcp.json', 'MCP servers'],
] as const

export interface ProjectPlace {
  workDir: string
  /** Of the machine; without them the work folder alone. */
  roots?: readonly string[] | undefined
  /** What the policy denies by path. */
  denied?: readonly string[] | undefined
}

export async function leftOutOf(place: ProjectPlace): Promise<LeftOut[]> {
  const { workDir, roots } = await realPlace(place)
  const wanted = [
    ...ofWorkFolder.map(([name, what]) => ({ folder: workDir, name, what })),
    ...foldersAbove({ workDir, roots })
      .reverse()
      .flatMap((folder) => ofEachFolder.map(([name, what]) => ({ folder, name, what }))),
  ]
  const found = await Promise.all(
    wanted.map(({ folder, name, what }) =>
      lstat(join(folder, name)).then(
        () => [{ path: relative(workDir, join(folder, name)), what }],
        () => [],
      ),
    ),
  )
  return found.flat()
}

/** Undefined where there is none. */
export async function readProjectNotes(place: ProjectPlace): Promise<string | undefined> {
  const real = await realPlace(place)
  const files = await readNotesFiles(real)
  if (files.length === 0) return undefined
  const [only] = files
  if (files.length === 1 && only) return only.text
  return files.map((file) => withName(file, real.workDir)).join('\n\n')
}

const withName = ({ path, text }: NotesFile, workDir: string) => `From ${relative(workDir, path)}:\n\n${text}`

/** The policy may name a place by a link. */
export async function realPlace({ workDir, roots, denied = [] }: ProjectPlace) {
  const real = (path: string) => realpath(path).catch(() => path)
  const own = await real(workDir)
  const [allRoots, allDenied] = await Promise.all([
    Promise.all((roots ?? [own]).map(real)),
    Promise.all(denied.map(real)),
  ])
  return { workDir: own, roots: allRoots, denied: [...allDenied, ...denied] }
}

/** What is put above the conversation: the caller's text, then the notes under a heading that says whose they are. */
export function appendedPrompt(systemPrompt: string | undefined, notes: string | undefined): string | undefined {
  const parts = [systemPrompt, notes === undefined ? undefined : `Notes of this project (CLAUDE.md):\n\n${notes}`]
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n') || undefined
}

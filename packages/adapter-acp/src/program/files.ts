/** Looks at the files of a repository, of the program and of the machine before a start. */
import { access, readdir, realpath, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { readUnlinked } from '@roundhouse/adapter-kit'
import type { LeftOut } from '@roundhouse/backend-types'
import type { EmptyTwins, LoadTrap, Profile } from '../profiles/profile'

/** What the repository configures, and the guard leaves out. */
export async function leftOutOf(workDir: string, { guard }: Profile): Promise<LeftOut[]> {
  const found = await Promise.all(
    guard.projectFiles.map((file) =>
      access(join(workDir, file.path)).then(
        () => [file],
        () => [],
      ),
    ),
  )
  return found.flat()
}

/** The first file with this ending. */
export async function firstIn({ folder, ending }: { folder: string; ending: string }): Promise<string | undefined> {
  const names = await readdir(folder).catch((): string[] => [])
  const found = names.find((name) => name.endsWith(ending))
  return found === undefined ? undefined : join(folder, found)
}

/** Milliseconds to wait before this conversation may be loaded. */
export async function loadWaitMs(
  trap: LoadTrap | undefined,
  home: string | undefined,
  sessionId: string,
): Promise<number> {
  if (trap === undefined || home === undefined) return 0
  const files = await filesBelow(home, trap.folder)
  const now = new Date()
  return Math.max(0, ...files.map((file) => trap.waitMs(basename(file), sessionId, now)))
}

/** An empty file has a list of the folder at most. */
const LONGEST_EMPTY = 256 * 1024
/** More files than conversations have that were resumed. The rest is for the next start. */
const MOST_READ = 1_000

/**
 * Deletes empty files of conversations that have another file, before the program deletes both. The other file stays as it is.
 * Programs of sessions write here, so a pipe keeps nobody waiting, and no link leads elsewhere.
 */
export async function removeEmptyTwins(twins: EmptyTwins | undefined, home: string | undefined): Promise<void> {
  if (twins === undefined || home === undefined) return
  let left = MOST_READ
  for (const files of byConversation(await filesBelow(home, twins.folder), twins)) {
    if (files.length < 2) continue
    left -= files.length
    if (left < 0) return
    const empty: string[] = []
    for (const file of files) if (await isEmptyFile(file, twins)) empty.push(file)
    if (empty.length < files.length) for (const file of empty) await remove(file)
  }
}

/** Where its folder is still where it was found. */
async function remove(file: string): Promise<void> {
  const folder = dirname(file)
  if ((await realpath(folder).catch(() => undefined)) === folder) await unlink(file).catch(() => {})
}

function byConversation(files: readonly string[], { conversationOf }: EmptyTwins): string[][] {
  const found = new Map<string, string[]>()
  for (const file of files) {
    const conversation = conversationOf(basename(file))
    if (conversation === undefined) continue
    const key = join(dirname(file), conversation)
    const known = found.get(key)
    if (known) known.push(file)
    else found.set(key, [file])
  }
  return [...found.values()]
}

async function isEmptyFile(file: string, { isEmpty }: EmptyTwins): Promise<boolean> {
  const text = await readUnlinked(file, LONGEST_EMPTY)
  return text !== undefined && isEmpty(text)
}

/** Ordinary files. Only the program's own folder may be a link: the owner of the machine made it. */
async function filesBelow(home: string, [own = '', ...rest]: readonly string[]): Promise<string[]> {
  const folder = await realpath(join(home, own)).catch(() => undefined)
  return folder === undefined ? [] : ordinaryBelow(folder, rest)
}

async function ordinaryBelow(folder: string, [next, ...rest]: readonly string[]): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  if (next === undefined) return entries.flatMap((entry) => (entry.isFile() ? [join(folder, entry.name)] : []))
  const below = entries.filter((entry) => entry.isDirectory() && (next === '*' || entry.name === next))
  const found: string[] = []
  for (const { name } of below) found.push(...(await ordinaryBelow(join(folder, name), rest)))
  return found
}

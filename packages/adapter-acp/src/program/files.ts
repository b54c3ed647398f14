/** Looks at the files of a repository, of the program and of the machine before a start. */
import { access, readdir, readFile, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
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

/** Deletes empty files of conversations that have another file, before the program deletes both. The other file stays as it is. */
export async function removeEmptyTwins(twins: EmptyTwins | undefined, home: string | undefined): Promise<void> {
  if (twins === undefined || home === undefined) return
  for (const files of byConversation(await filesBelow(home, twins.folder), twins)) {
    if (files.length < 2) continue
    const looked = await Promise.all(files.map(async (file) => ({ file, isEmpty: await isEmptyFile(file, twins) })))
    if (looked.every(({ isEmpty }) => isEmpty)) continue
    const empty = looked.filter(({ isEmpty }) => isEmpty)
    await Promise.all(empty.map(({ file }) => unlink(file).catch(() => {})))
  }
}

function byConversation(files: readonly string[], { conversationOf }: EmptyTwins): string[][] {
  const found = new Map<string, string[]>()
  for (const file of files) {
    const conversation = conversationOf(basename(file))
    if (conversation === undefined) continue
    const key = join(dirname(file), conversation)
    found.set(key, [...(found.get(key) ?? []), file])
  }
  return [...found.values()]
}

async function isEmptyFile(file: string, { isEmpty }: EmptyTwins): Promise<boolean> {
  try {
    return (await stat(file)).size <= LONGEST_EMPTY && isEmpty(await readFile(file, 'utf8'))
  } catch {
    return false
  }
}

async function filesBelow(folder: string, [next, ...rest]: readonly string[]): Promise<string[]> {
  const names = async () => readdir(folder).catch((): string[] => [])
  if (next === undefined) return (await names()).map((name) => join(folder, name))
  const below = next === '*' ? await names() : [next]
  return (await Promise.all(below.map((name) => filesBelow(join(folder, name), rest)))).flat()
}

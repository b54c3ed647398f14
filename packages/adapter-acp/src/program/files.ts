/** Looks at the files of a repository, of the program and of the machine before a start. */
import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LeftOut } from '@roundhouse/backend-types'
import type { LoadTrap, Profile } from '../profiles/profile'

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
  const files = await namesBelow(home, trap.folder)
  const now = new Date()
  return Math.max(0, ...files.map((file) => trap.waitMs(file, sessionId, now)))
}

async function namesBelow(folder: string, [next, ...rest]: readonly string[]): Promise<string[]> {
  const names = async () => readdir(folder).catch((): string[] => [])
  if (next === undefined) return names()
  const below = next === '*' ? await names() : [next]
  return (await Promise.all(below.map((name) => namesBelow(join(folder, name), rest)))).flat()
}

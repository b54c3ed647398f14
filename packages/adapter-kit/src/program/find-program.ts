/** Where a program is. Only the pinned path and the owner's PATH count: options of a session never choose a program. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { type AdapterContext, CodedError, inTime } from '@roundhouse/backend-types'

/** Its absolute path. Rejects with `BACKEND_UNAVAILABLE` where there is none. */
export async function findProgram(name: string, context: Pick<AdapterContext, 'binaryPath' | 'env'>): Promise<string> {
  const { binaryPath, env } = context
  const found = await firstProgram(binaryPath === undefined ? onPath(name, env.PATH) : [binaryPath])
  if (found !== undefined) return found
  const why =
    binaryPath === undefined
      ? `The program ${name} is not on the PATH of this machine.`
      : `There is no program at ${binaryPath}.`
  throw new CodedError('BACKEND_UNAVAILABLE', why)
}

/** A relative entry of PATH would be read from the workspace: a repository must not bring its own program. */
function onPath(name: string, path = ''): string[] {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name]
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .flatMap((folder) => names.map((file) => join(folder, file)))
}

/** Rejects with `FOLDER_UNAVAILABLE` where one does not answer: a later one would be another program. */
export async function firstProgram(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await inTime(path, isProgram(path))) return path
  return undefined
}

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK)
    .then(() => stat(path))
    .then(
      (found) => found.isFile(),
      () => false,
    )

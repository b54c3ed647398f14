/** Where the program is. Only the pinned path and the owner's PATH count: options of a session never choose a binary. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { type AdapterContext, CodedError, inTime } from '@roundhouse/backend-types'

const names = process.platform === 'win32' ? ['claude.exe', 'claude.cmd'] : ['claude']

export async function findBinary(context: AdapterContext): Promise<string> {
  if (context.binaryPath !== undefined) {
    if (await isProgram(context.binaryPath)) return context.binaryPath
    throw new CodedError('BACKEND_UNAVAILABLE', `There is no program at ${context.binaryPath}.`)
  }
  // A relative entry of PATH would be read from the workspace: a repository must not bring its own `claude`.
  for (const folder of (context.env.PATH ?? '').split(delimiter).filter((entry) => isAbsolute(entry))) {
    for (const name of names) {
      const path = join(folder, name)
      if (await isProgram(path)) return path
    }
  }
  throw new CodedError('BACKEND_UNAVAILABLE', 'The program claude is not on the PATH of this machine.')
}

/** Throws `FOLDER_UNAVAILABLE`: a later entry of PATH would be another program. */
const isProgram = (path: string): Promise<boolean> =>
  inTime(
    path,
    access(path, constants.X_OK)
      .then(() => stat(path))
      .then(
        (found) => found.isFile(),
        () => false,
      ),
  )

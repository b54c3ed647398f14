/**
 * Finds the program. The npm package installs a Node launcher that starts the real binary as its child; starting the
 * binary itself saves that process. Where the package is laid out in a way we do not know, the launcher serves.
 */

import { constants } from 'node:fs'
import { access, readdir, realpath } from 'node:fs/promises'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import { CodedError, inTime } from '@roundhouse/backend-types'

export interface BinaryPlace {
  binaryPath?: string | undefined
  /** The `PATH` to search where no path is given. */
  path: string | undefined
}

export async function findBinary(place: BinaryPlace): Promise<string> {
  const found = await firstExecutable(candidates(place))
  if (!found) {
    const { binaryPath } = place
    const why =
      binaryPath === undefined
        ? 'The program codex is not on the PATH of this machine.'
        : `There is no program at ${binaryPath}.`
    throw new CodedError('BACKEND_UNAVAILABLE', why)
  }
  return (await nativeBinaryOf(found)) ?? found
}

function candidates({ binaryPath, path }: BinaryPlace): string[] {
  if (binaryPath !== undefined) return [binaryPath]
  const names = process.platform === 'win32' ? ['codex.exe', 'codex.cmd'] : ['codex']
  const folders = (path ?? '').split(delimiter).filter(isAbsolute)
  return folders.flatMap((folder) => names.map((name) => join(folder, name)))
}

/** The native binary behind `@openai/codex/bin/codex.js`, whichever way npm placed its platform package. */
async function nativeBinaryOf(launcher: string): Promise<string | undefined> {
  const script = await inTime(
    launcher,
    realpath(launcher).catch(() => launcher),
  )
  const root = dirname(dirname(script))
  if (basename(script) !== 'codex.js' || basename(root) !== 'codex') return undefined
  const platformPackage = `codex-${process.platform}-${process.arch}`
  const vendors = [
    join(dirname(root), platformPackage, 'vendor'),
    join(root, 'node_modules', '@openai', platformPackage, 'vendor'),
    join(root, 'vendor'),
  ]
  const name = process.platform === 'win32' ? 'codex.exe' : 'codex'
  const paths = await Promise.all(
    vendors.map(async (vendor) =>
      (
        await inTime(
          vendor,
          readdir(vendor).catch((): string[] => []),
        )
      ).map((target) => join(vendor, target, 'bin', name)),
    ),
  )
  return firstExecutable(paths.flat())
}

/** Throws `FOLDER_UNAVAILABLE` where one does not answer: a later one would be another program. */
async function firstExecutable(paths: string[]): Promise<string | undefined> {
  for (const path of paths) {
    const asked = access(path, constants.X_OK)
    const isExecutable = await inTime(
      path,
      asked.then(
        () => true,
        () => false,
      ),
    )
    if (isExecutable) return path
  }
  return undefined
}

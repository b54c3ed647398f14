/**
 * Finds the program. The npm package installs a Node launcher that starts the real binary as its child; starting the
 * binary itself saves that process. Where the package is laid out in a way we do not know, the launcher serves.
 */

import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { findProgram, firstProgram } from '@roundhouse/adapter-kit'
import { type AdapterContext, inTime } from '@roundhouse/backend-types'

export async function findBinary(context: Pick<AdapterContext, 'binaryPath' | 'env'>): Promise<string> {
  const found = await findProgram('codex', context)
  return (await nativeBinaryOf(found)) ?? found
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
  return firstProgram(paths.flat())
}

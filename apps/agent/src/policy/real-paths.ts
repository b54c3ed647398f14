/**
 * The edge between the judge, which is pure, and the disk: which paths a command names, and what each of them really is.
 */
import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { CommandBody, SessionSettings } from '@roundhouse/backend-types'

/** What a path that was asked for really is. `absent` also stands for one that may not be read. */
export type RealPath =
  | { kind: 'folder'; real: string }
  /** `names`: how many names the file has on its disk. */
  | { kind: 'file'; real: string; names: number }
  | { kind: 'absent' }
export type RealPaths = Readonly<Record<string, RealPath>>

/** Every path that this command would make a program use. */
export function pathsOf(body: CommandBody): string[] {
  return body.kind === 'session.create' ? pathsOfSettings(body.settings) : []
}

export function pathsOfSettings(settings: SessionSettings): string[] {
  return [
    settings.workDir,
    ...(settings.additionalDirs ?? []),
    ...(settings.mcpConfigPath === undefined ? [] : [settings.mcpConfigPath]),
  ]
}

export function resolveRealPaths(paths: readonly string[]): RealPaths {
  return Object.fromEntries(paths.map((asked) => [asked, resolveRealPath(asked)]))
}

function resolveRealPath(asked: string): RealPath {
  if (!path.isAbsolute(asked) || asked.includes('\0')) return { kind: 'absent' }
  try {
    const real = realpathSync.native(asked)
    const found = statSync(real)
    if (found.isDirectory()) return { kind: 'folder', real }
    return found.isFile() ? { kind: 'file', real, names: found.nlink } : { kind: 'absent' }
  } catch {
    return { kind: 'absent' }
  }
}

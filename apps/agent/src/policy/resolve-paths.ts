/** Resolves real paths. The caller waits for their disks, so no daemon may call this (FLOW-7). */
import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { RealPath, RealPaths } from './real-paths'

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

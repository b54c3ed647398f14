/** Where the player's tools may read and write. A path is judged by its real place, so a link does not lead outside. */
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import type { Settings } from '../script/frames'

export type Place = { path: string } | { refused: string }

export function placeToWrite(workDir: string, path: string, settings: Settings): Place {
  if (settings.sandbox === 'read-only') return { refused: 'The sandbox is read-only' }
  return placeInside(workDir, path, settings)
}

export function placeToRead(workDir: string, path: string, settings: Settings): Place {
  return placeInside(workDir, path, settings)
}

function placeInside(workDir: string, path: string, settings: Settings): Place {
  const real = realPath(isAbsolute(path) ? path : resolve(workDir, path))
  if (settings.sandbox === 'full-access') return { path: real }
  const roots = [workDir, ...settings.additionalDirs].map(realPath)
  const inside = roots.some((root) => real === root || real.startsWith(root.endsWith(sep) ? root : root + sep))
  return inside ? { path: real } : { refused: `${path} is outside the workspace` }
}

/** The real path of what exists of it, with the rest as it stands. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  const parent = dirname(path)
  return parent === path ? path : join(realPath(parent), basename(path))
}

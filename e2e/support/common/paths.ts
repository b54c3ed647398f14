import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export const repoRoot = path.resolve(import.meta.dirname, '../../..')

/** A fresh folder by its real path. */
export function freshFolder(name: string): string {
  return realpathSync(mkdtempSync(path.join(tmpdir(), `roundhouse-${name}-`)))
}

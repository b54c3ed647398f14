/** Folders of a test, gone when it is over. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TempDir {
  /** Its real path: a program that resolves links prints the same. */
  path: string
  remove(): void
}

export function tempDir(name = 'test'): TempDir {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `roundhouse-${name}-`)))
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) }
}

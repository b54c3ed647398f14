/**
 * Checks the whole file before the hub serves anything from it. If the file belonged to a hub and is empty now, the hub does
 * not start with a new database: agents know this hub by a key that is gone, and somebody should restore a backup. Damage to
 * single rows and pages does not prevent the start.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import path from 'node:path'
import { CodedError } from '@roundhouse/backend-types'
import type { Connection } from './connections'
import { troubleOf } from './storage-error'

/** Made at the first start, after the tables. */
export const wasServed = (file: string): boolean => existsSync(path.join(path.dirname(file), 'secret'))

export function requireFile(file: string): void {
  if (!existsSync(file) && wasServed(file)) throw destroyed(file, 'is not there any more')
}

/** Each table and index begins on a page of its own: without it nothing of the table can be read, nor written. */
export function requireTables(db: Connection, file: string): void {
  const roots = db
    .prepare<[], { name: string; page: number }>(
      'SELECT name, rootpage AS page FROM sqlite_schema WHERE rootpage > 0 ORDER BY rootpage',
    )
    .all()
  if (roots.length === 0) {
    if (wasServed(file)) throw destroyed(file, 'is empty')
    return
  }
  db.pragma('wal_checkpoint(PASSIVE)')
  const size = Number(db.pragma('page_size', { simple: true }))
  const fd = openSync(file, 'r')
  try {
    const pages = fstatSync(fd).size / size
    const lost = roots.find(({ page }) => page > pages || !isTree(fd, (page - 1) * size))
    if (lost) throw destroyed(file, `is damaged where its part ${lost.name} begins`)
  } finally {
    closeSync(fd)
  }
}

/** The first byte of a page says which kind it is of. */
function isTree(fd: number, at: number): boolean {
  const [kind = 0] = readSync(fd, head, 0, 1, at) === 1 ? head : []
  return [2, 5, 10, 13].includes(kind)
}
const head = Buffer.alloc(1)

export function destroyed(file: string, what: string): CodedError {
  return new CodedError(
    'STORAGE_DAMAGED',
    `The hub's database ${file} ${what}. Put a backup of the whole folder ${path.dirname(file)} in its place; to begin a new hub instead, move that folder away.`,
  )
}

/** Explains to the person who starts the hub why its file could not be opened. */
export function openingError(file: string, error: unknown): unknown {
  if (error instanceof CodedError) return error
  const trouble = troubleOf(error)
  if (trouble === 'damaged') return destroyed(file, `is damaged (${String((error as Error).message)})`)
  if (trouble === null) return error
  return new CodedError(
    'STORAGE_UNAVAILABLE',
    `The hub's database ${file} cannot be opened: ${(error as Error).message}.`,
    undefined,
    error,
  )
}

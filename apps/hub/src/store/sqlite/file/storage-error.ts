/** Tells trouble with the disk from trouble with the data, whichever layer reports it. */
import { CodedError } from '@roundhouse/backend-types'
import { LostFile } from './file-place'

/**
 * `full` and `failing`: of the disk, now; writes fail. `locked`: another program has the lock. `moved`: the file is not where
 * it was opened. `damaged`: what is read makes no sense, or cannot be read at all; the rest of the file may be whole.
 */
export type Trouble = 'full' | 'failing' | 'locked' | 'moved' | 'damaged'

const troubles: ReadonlyArray<[prefix: string, trouble: Trouble]> = [
  ['SQLITE_FULL', 'full'],
  ['SQLITE_CORRUPT', 'damaged'],
  ['SQLITE_NOTADB', 'damaged'],
  ['SQLITE_IOERR_SHORT_READ', 'damaged'],
  ['SQLITE_IOERR_CORRUPTFS', 'damaged'],
  ['SQLITE_IOERR_READ', 'damaged'],
  ['SQLITE_IOERR', 'failing'],
  ['SQLITE_READONLY', 'failing'],
  ['SQLITE_CANTOPEN', 'failing'],
  ['SQLITE_BUSY', 'locked'],
  ['SQLITE_LOCKED', 'locked'],
]

/**
 * Follows the causes: Prisma wraps the driver's error, whose code it keeps as `originalCode`; of a lock it says only that it
 * timed out, and has the driver's error beside it.
 */
export function troubleOf(error: unknown, depth = 0): Trouble | null {
  if (typeof error !== 'object' || error === null || depth > 5) return null
  if (error instanceof LostFile) return 'moved'
  const { code, originalCode, message, cause, meta } = error as Record<string, unknown>
  for (const value of [code, originalCode]) {
    const known = typeof value === 'string' && troubles.find(([prefix]) => value.startsWith(prefix))
    if (known) return known[1]
  }
  // What the functions of SQLite say of a JSON column that is no JSON any more.
  if (code === 'SQLITE_ERROR' && message === 'malformed JSON') return 'damaged'
  const beside = (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError
  return troubleOf(cause ?? beside, depth + 1)
}

/** The storage does not take writes. */
export function isStorageFailure(error: unknown): boolean {
  const trouble = troubleOf(error)
  return trouble !== null && trouble !== 'damaged'
}

const words: Partial<Record<Trouble, string>> = {
  full: 'The hub’s disk is full. Nothing was lost.',
  locked: 'Another program has locked the hub’s database. Nothing was lost.',
  moved: 'The hub’s database was moved or removed while the hub ran.',
}

export function toStorageError(error: unknown): unknown {
  if (error instanceof CodedError) return error
  const trouble = troubleOf(error)
  if (trouble === null) return error
  if (trouble === 'damaged') return new CodedError('STORAGE_DAMAGED', undefined, undefined, error)
  return new CodedError('STORAGE_UNAVAILABLE', words[trouble], undefined, error)
}

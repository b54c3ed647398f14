/** Tells trouble with the disk from trouble with the data, whichever layer reports it. */
import { CodedError } from '@roundhouse/backend-types'

const sqliteCodes = [
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
]

/** Follows the causes: Prisma wraps the driver's error, whose code it keeps as `originalCode`. */
export function isStorageFailure(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 5) return false
  const { code, originalCode, cause } = error as { code?: unknown; originalCode?: unknown; cause?: unknown }
  const isOurs = (value: unknown) => typeof value === 'string' && sqliteCodes.some((name) => value.startsWith(name))
  return isOurs(code) || isOurs(originalCode) || isStorageFailure(cause, depth + 1)
}

export function toStorageError(error: unknown): unknown {
  if (error instanceof CodedError || !isStorageFailure(error)) return error
  return new CodedError('STORAGE_UNAVAILABLE', undefined, undefined, error)
}

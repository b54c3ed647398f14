/**
 * Reads a file that may be missing. A file that the system cannot read at the moment (no descriptors, an I/O error, a folder
 * that may not be entered) is neither absent nor damaged: the caller gets this error code and tries again. A link, a pipe or
 * the like in its place is permanent until somebody moves it, so it counts as a damaged file.
 */
import { CodedError, isLack } from '@roundhouse/backend-types'
import { InTheWay, readOwnFile } from '@roundhouse/owner'

/** Null where there is no such file. Throws a code that passes where it cannot be read now, and `STATE_UNWRITABLE` where it is none. */
export function readIfThere(file: string): string | null {
  try {
    return readOwnFile(file)
  } catch (error) {
    if (isAbsent(error)) return null
    throw error instanceof InTheWay ? codedIfInTheWay(error) : unreadable(file, error)
  }
}

/** A link or a pipe in the way has its own message; any other error stays unchanged. */
export function codedIfInTheWay(error: unknown): unknown {
  return error instanceof InTheWay ? new CodedError('STATE_UNWRITABLE', error.message, undefined, error) : error
}

/** What is said of a file that the system did not give back. */
export function unreadable(file: string, cause: unknown): CodedError {
  const code = isLack(cause) ? 'OUT_OF_RESOURCES' : 'STORAGE_UNAVAILABLE'
  const why = cause instanceof Error ? cause.message : String(cause)
  return new CodedError(code, `${file} cannot be read now (${why}).`, undefined, cause)
}

const isAbsent = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(String((error as { code?: unknown }).code))

/** A state of the machine or its disk; everything else stays so until somebody changes the file. */
export const passesByItself = (error: unknown): boolean => isLack(error) || (error as { code?: unknown }).code === 'EIO'

/** For callers that continue without a file that is absent or invalid, but not without one that cannot be read now. */
export function throwPassing(file: string, error: unknown): void {
  if (passesByItself(error)) throw unreadable(file, error)
}

/**
 * Reads a file that may not be there. One that the system does not give back now (no descriptors, an I/O error, a folder
 * that may not be entered) is neither absent nor damaged: whoever needs it says so with this code, and tries again.
 */
import { readFileSync } from 'node:fs'
import { CodedError, isLack } from '@roundhouse/backend-types'

/** Null where there is no such file. Throws a code that passes where it cannot be read now. */
export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isAbsent(error)) return null
    throw unreadable(file, error)
  }
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

/** For whoever goes on without a file that is absent or makes no sense: not without one that is there and cannot be read now. */
export function throwPassing(file: string, error: unknown): void {
  if (passesByItself(error)) throw unreadable(file, error)
}

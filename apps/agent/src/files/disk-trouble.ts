/**
 * Recognises errors of the system and SQLite for a disk that accepts no writes, and the messages that people and hubs get.
 */
import { CodedError, type DiskTrouble } from '@roundhouse/backend-types'

const full: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])
const failing: ReadonlySet<string> = new Set(['EIO', 'EROFS', 'SQLITE_READONLY', 'SQLITE_CANTOPEN'])

/** Null where it is an error of another kind. What the error was caused by counts too. */
export function diskTroubleOf(error: unknown): DiskTrouble | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
    if (full.has(code) || code === 'DISK_FULL') return 'full'
    // SQLite has many names for an I/O error.
    if (failing.has(code) || code.startsWith('SQLITE_IOERR') || code === 'DISK_FAILING') return 'failing'
  }
  return null
}

/** Another program holds the lock of a database; the disk is in order. */
export const isLocked = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^SQLITE_(BUSY|LOCKED)/.test(String(error.code))

export const lockedLog = (cause: unknown): CodedError =>
  new CodedError(
    'STORAGE_UNAVAILABLE',
    'Another program on the machine has locked the log of this session.',
    { locked: true },
    cause,
  )

/** What a host said of it. */
export const isLockedLog = ({ code, details }: CodedError): boolean =>
  code === 'STORAGE_UNAVAILABLE' && details?.locked === true

/** For the log of a machine: what was thrown, and what that came from. */
export function causesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message} (${causesOf(error.cause)})`
}

/** A log that is there, whole as far as anybody knows, and that the system does not give back. */
export const unreadableLog = (cause?: unknown): CodedError =>
  new CodedError(
    'STORAGE_UNAVAILABLE',
    'The disk cannot read the log of this session now. Try again when the disk works.',
    undefined,
    cause,
  )

const codes = { full: 'DISK_FULL', failing: 'DISK_FAILING' } as const satisfies Record<DiskTrouble, string>

export const diskError = (trouble: DiskTrouble, cause?: unknown): CodedError =>
  new CodedError(codes[trouble], undefined, undefined, cause)

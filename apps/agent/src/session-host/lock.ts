/** Allows one host per session (RES-4). The host holds the lock for its whole life; the kernel releases it with the process. */
import { CodedError } from '@roundhouse/backend-types'
import { type FileLock, InTheWay, tryFileLock } from '@roundhouse/owner'
import { diskError, diskTroubleOf } from '../files/disk-trouble'
import { codedIfInTheWay } from '../files/read-if-there'

/** A process that only checks whether the session is held takes the lock for a moment. */
const PATIENCE_MS = 500

export class HeldByAnotherHost extends CodedError {}

export function takeLock(file: string): FileLock {
  const lock = lockOrTellWhy(file)
  if (lock === null) throw heldByAnother()
  return lock
}

function lockOrTellWhy(file: string): FileLock | null {
  try {
    return tryFileLock(file, PATIENCE_MS)
  } catch (cause) {
    if (cause instanceof InTheWay) throw codedIfInTheWay(cause)
    const trouble = diskTroubleOf(cause)
    throw trouble ? diskError(trouble, cause) : heldByAnother(cause)
  }
}

const heldByAnother = (cause?: unknown): CodedError =>
  new HeldByAnotherHost('ALREADY_RUNNING', 'Another host holds this session.', undefined, cause)

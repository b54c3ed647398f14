/** Files of the agent's state that one process holds at a time (STORE-5): `daemon.lock`, `key.lock`, `policy.lock`. */
import { CodedError } from '@roundhouse/backend-types'
import { type FileLock, InTheWay, isFileLocked, tryFileLock } from '@roundhouse/owner'
import { codedIfInTheWay } from '../../files/read-if-there'
import { requireSqlite } from '../../files/require-sqlite'

/** Null when another process holds it. */
export const tryStateLock = (file: string, patienceMs = 0): FileLock | null =>
  orUnwritable(file, () => tryFileLock(file, patienceMs))

/** Whether a process holds it. The holding process itself must not ask. */
export const isStateLocked = (file: string): boolean => orUnwritable(file, () => isFileLocked(file))

/** Runs `lock`. If nobody can lock this file, throws an error in words for the machine's owner. */
export function orUnwritable<T>(file: string, lock: () => T): T {
  requireSqlite()
  try {
    return lock()
  } catch (cause) {
    if (cause instanceof InTheWay) throw codedIfInTheWay(cause)
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new CodedError('STATE_UNWRITABLE', `${file} cannot be locked: ${why}.`, undefined, cause)
  }
}

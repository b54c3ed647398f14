/**
 * One daemon per state folder (T25). The kernel gives the lock back when the process ends, however it ends, so that no
 * stale lock exists. Never open the lock file by other means in this process: closing any handle of it drops the lock.
 */
import { CodedError } from '@roundhouse/backend-types'
import Database from 'better-sqlite3'

export interface InstanceLock {
  release(): void
}

export function takeInstanceLock(lockFile: string): InstanceLock {
  const db = new Database(lockFile, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    db.close()
    throw new CodedError(
      'ALREADY_RUNNING',
      'Another agent already runs on this state folder. See: roundhouse-agent status',
      { lockFile },
      cause,
    )
  }
  return { release: () => void db.close() }
}

/** Whether a daemon holds the lock. Never ask in the daemon itself. */
export function isInstanceLocked(lockFile: string): boolean {
  try {
    takeInstanceLock(lockFile).release()
    return false
  } catch (error) {
    if (error instanceof CodedError && error.code === 'ALREADY_RUNNING') return true
    throw error
  }
}

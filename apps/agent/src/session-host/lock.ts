/**
 * One host per session (RES-4): an SQLite transaction that is held for life and that the kernel releases with the
 * process. Nobody in this process may read the lock file: closing any descriptor of it would drop the lock.
 */
import { CodedError } from '@roundhouse/backend-types'
import Database from 'better-sqlite3'

/** Somebody who only looks whether the session is held takes the lock for a moment. */
const PATIENCE_MS = 500

export interface SessionLock {
  release(): void
}

export function takeLock(file: string): SessionLock {
  // No pragma before BEGIN: it would be refused by a held lock in its own way.
  const db = new Database(file, { timeout: PATIENCE_MS })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    db.close()
    throw new CodedError('ALREADY_RUNNING', 'Another host holds this session.', undefined, cause)
  }
  return {
    release: () => {
      db.close()
    },
  }
}

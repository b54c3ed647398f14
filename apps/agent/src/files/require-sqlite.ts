/**
 * SQLite is the only package outside this program, and a native one: its built part may be missing, or be for another
 * Node.js.
 */
import { CodedError } from '@roundhouse/backend-types'
import Database from 'better-sqlite3'

export function requireSqlite(): void {
  try {
    new Database(':memory:').close()
  } catch (cause) {
    throw new CodedError(
      'STORAGE_UNAVAILABLE',
      `SQLite (better-sqlite3) is not built for this Node.js ${process.versions.node}. Install roundhouse-agent again from its file: npm install --global --allow-scripts=better-sqlite3 FILE`,
      undefined,
      cause,
    )
  }
}

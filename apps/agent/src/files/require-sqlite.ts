/** SQLite is the one package beside this program, and a native one: it may lack its built part, or have one for another Node.js. */
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

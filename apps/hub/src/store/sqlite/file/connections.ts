/** Raw connections to the hub's SQLite file, with their pragmas set and read back. */
import { requireOwnDatabase } from '@roundhouse/owner'
import Database from 'better-sqlite3'
import { pragmaScript, readerPragmas, requirePragmas, writerPragmas } from './pragmas'
import { requireOwnWal } from './wal-match'

export type Connection = Database.Database

/** `onStatement` is told of each statement that runs. */
export function openWriter(file: string, onStatement?: (sql: string) => void): Connection {
  requireOwnDatabase(file, { links: 'followed' })
  requireOwnWal(file)
  const db = new Database(file, verbose(onStatement))
  try {
    db.exec(pragmaScript(writerPragmas))
    requirePragmas(writerPragmas, (name) => db.pragma(name, { simple: true }))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

export function openReader(file: string, onStatement?: (sql: string) => void): Connection {
  requireOwnDatabase(file, { links: 'followed' })
  const db = new Database(file, { readonly: true, ...verbose(onStatement) })
  db.pragma('busy_timeout = 5000')
  db.pragma('foreign_keys = ON')
  requirePragmas(readerPragmas, (name) => db.pragma(name, { simple: true }))
  return db
}

const verbose = (onStatement: ((sql: string) => void) | undefined) =>
  onStatement ? { verbose: (sql: unknown) => onStatement(String(sql)) } : {}

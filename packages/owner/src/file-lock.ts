/**
 * A file that one process holds: an SQLite transaction, which the kernel ends with the process, however it ends. So no
 * lock is ever stale, and none depends on a pid or on the path by which the file was reached. Never open the file by
 * other means in this process: closing any handle of it drops the lock.
 */
import { truncateSync } from 'node:fs'
import Database from 'better-sqlite3'

export interface FileLock {
  release(): void
}

/**
 * Null when another process holds it. Throws SQLite's error where nobody can lock there.
 * `patienceMs`: somebody who only looks takes the lock for a moment.
 */
export function tryFileLock(file: string, patienceMs = 0): FileLock | null {
  return lock(file, { timeout: patienceMs }, true)
}

/** Whether another process holds it; false where there is none. Makes no file. Throws where SQLite cannot tell. */
export function isFileLocked(file: string): boolean {
  const db = openExisting(file)
  if (db === null) return false
  try {
    beginExclusive(db)
    return false
  } catch (error) {
    if (isBusy(error)) return true
    if (isDamage(error)) return false // of one that is held nothing is read
    throw error
  } finally {
    db.close()
  }
}

function lock(file: string, options: Database.Options, mendable: boolean): FileLock | null {
  const db = new Database(file, options)
  try {
    beginExclusive(db)
    return { release: () => void db.close() }
  } catch (error) {
    db.close()
    if (isBusy(error)) return null
    if (!mendable || !isDamage(error)) throw error
  }
  // Of a file that is held nothing is read, so nobody holds this one. It is emptied and not made anew: two that mend it
  // must lock the same file.
  truncateSync(file)
  return lock(file, options, false)
}

/** SQLite wants a journal beside an empty file, which a disk that refuses does not give. */
function beginExclusive(db: Database.Database): void {
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    if (isBusy(error) || isDamage(error)) throw error
    db.pragma('journal_mode = MEMORY') // never first: a lock that is held would refuse it in its own way
    db.exec('BEGIN EXCLUSIVE')
  }
}

function openExisting(file: string): Database.Database | null {
  try {
    return new Database(file, { timeout: 0, fileMustExist: true })
  } catch {
    return null
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code)
const isBusy = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_BUSY')
const isDamage = (error: unknown): boolean =>
  /^SQLITE_(NOTADB|CORRUPT|FORMAT|ERROR|IOERR_SHORT_READ)/.test(codeOf(error))

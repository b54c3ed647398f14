/**
 * A file that one process holds: an SQLite transaction, which the kernel ends with the process, however it ends. So no
 * lock is ever stale, and none depends on a pid or on the path by which the file was reached. Never open the file by
 * other means in this process: closing any handle of it drops the lock. A lock holds no text: where a link, a pipe or
 * somebody's file is in its place, that is not opened (`InTheWay`).
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  readFileSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import Database from 'better-sqlite3'
import { InTheWay, lookAt, makeOwnFile, openOwnFile, requireOwnDatabase } from './own-file'

/** A disk damages what it holds, and a lock holds next to nothing. */
const MOST_DAMAGED_BYTES = 1024 * 1024

export interface FileLock {
  release(): void
}

/**
 * Null when another process holds it. Throws `InTheWay`, or SQLite's error where nobody can lock there.
 * `patienceMs`: somebody who only looks takes the lock for a moment.
 */
export function tryFileLock(file: string, patienceMs = 0): FileLock | null {
  return lock(file, { timeout: patienceMs }, true)
}

/** Whether another process holds it; false where there is none. Makes no file. Throws where SQLite cannot tell. */
export function isFileLocked(file: string): boolean {
  requireLock(file)
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
  requireLock(file)
  const db = new Database(file, options)
  try {
    beginExclusive(db)
    return { release: () => void db.close() }
  } catch (error) {
    db.close()
    if (isBusy(error)) return null
    if (!mendable || !isDamage(error)) throw error
  }
  mend(file)
  return lock(file, options, false)
}

/** Throws `InTheWay`. Looks without opening: this process may hold it. */
export function requireLock(file: string): void {
  requireOwnDatabase(file)
  const found = lookAt(file)
  if (found && found.size > 0 && found.nlink > 1) throw new InTheWay(file, 'a file that has another name, and no lock')
}

/**
 * Of a file that is held nothing is read, so nobody holds this one. It is emptied and not made anew: two that mend it must
 * lock the same file. What was in it is kept beside it, in case that somebody's text was put there.
 */
function mend(file: string): void {
  const handle = openOwnFile(file, constants.O_RDWR)
  try {
    const found = fstatSync(handle)
    if (found.size === 0) return // somebody else was here
    requireMendable(file, found)
    keep(readFileSync(handle), `${file}.broken-${Date.now()}-${process.pid}`)
    ftruncateSync(handle)
  } finally {
    closeSync(handle)
  }
}

function requireMendable(file: string, { nlink, uid, size }: Stats): void {
  const own = process.getuid?.()
  if (nlink > 1) throw new InTheWay(file, 'a file that has another name, and no lock')
  if (own !== undefined && uid !== own) throw new InTheWay(file, "another user's file, and no lock")
  if (size > MOST_DAMAGED_BYTES) throw new InTheWay(file, 'a large file, and no lock')
}

function keep(bytes: Buffer, place: string): void {
  const handle = makeOwnFile(place)
  try {
    writeFileSync(handle, bytes)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
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

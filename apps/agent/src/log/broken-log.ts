/**
 * Detects a damaged log: not a database, pages that contradict each other, incomplete rows. Nothing is read from it any
 * more, so it counts as lost (REB-1). A file that may not be opened, or a disk that refuses, is different: the log is
 * intact, and is tried again (T24, FLOW-2). SQLite reports a disk that cannot read as a damaged file, so all of a log is
 * read before it is given up (`readRefusal`).
 */
import { closeSync, constants, existsSync, readSync, renameSync, rmSync } from 'node:fs'
import { foreignSides, InTheWay, lookAt, openOwnFile } from '@roundhouse/owner'

// A plain SQLITE_ERROR means a missing or different table; a short read means a file that lost its end.
const damaged =
  /^SQLITE_(NOTADB|CORRUPT(_.*)?|ERROR|FORMAT|MISMATCH|TOOBIG|INTERNAL|SCHEMA|IOERR_SHORT_READ|CONSTRAINT(_.*)?)$/

export function isDamage(error: unknown): boolean {
  const code = codeOf(error)
  return code !== null && damaged.test(code)
}

/** Checks an error from reading and parsing rows of a log: there, unparseable text is damage too. */
export function isUnreadable(error: unknown): boolean {
  if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) {
    // A system error has a code; a damaged value does not.
    return codeOf(error) === null || codeOf(error)?.startsWith('ERR_') === true
  }
  return isDamage(error) || isForeign(error) || (error instanceof Error && error.name === 'ZodError')
}

/** A link or a pipe in place of the log. A folder is different: the log still exists elsewhere. */
const isForeign = (error: unknown): boolean => error instanceof InTheWay && !error.isFolder

function codeOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : null
}

const CHUNK_BYTES = 1024 * 1024

/**
 * The system's error when it cannot read a log and its side file: `EIO`, `EACCES`, `EMFILE`. Null if it can. `atMost`: bytes
 * of each, from the beginning, for callers that must not block long.
 */
export function readRefusal(file: string, atMost = Number.POSITIVE_INFINITY): Error | null {
  try {
    for (const one of [file, `${file}-wal`]) readThrough(one, atMost)
    return null
  } catch (error) {
    if (isForeign(error)) return null // not caused by the disk
    const code = codeOf(error)
    return code === null || code === 'ENOENT' ? null : (error as Error)
  }
}

/** Throws errors that are no damage. */
export function requireDamage(file: string, error: unknown): void {
  if (!isUnreadable(error)) throw error
  requireReadable(file)
}

/** Throws the system's error if part of it cannot be read: a disk that refuses proves no damage. */
export function requireReadable(file: string): void {
  const refusal = readRefusal(file)
  if (refusal) throw refusal
}

/** Checks an error of SQLite from writing this log. */
export const isDamageOf = (file: string, error: unknown): boolean => isDamage(error) && readRefusal(file) === null

function readThrough(file: string, atMost: number): void {
  if (!existsSync(file)) return
  const handle = openOwnFile(file, constants.O_RDONLY)
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    for (let at = 0, read = 1; read > 0 && at < atMost; at += read) read = readSync(handle, chunk, 0, CHUNK_BYTES, at)
  } finally {
    closeSync(handle)
  }
}

/**
 * The caller must hold the session's lock. Nothing is erased, because somebody may want to examine the log. Returns its
 * new name.
 */
export function setLogAside(file: string, now: number): string {
  const aside = freeName(`${file}.broken-${now}`)
  setForeignSidesAside(file, now)
  // The side file first: without it a log is only shorter; with another log's side file it would be damaged.
  if (lookAt(`${file}-wal`)?.size) renameSync(`${file}-wal`, `${aside}-wal`)
  for (const side of ['-wal', '-shm', '-journal']) rmSync(`${file}${side}`, { force: true })
  if (lookAt(file)) renameSync(file, aside)
  return aside
}

/** The caller must hold the session's lock. SQLite did not create any of these files, so the log is complete without them. */
export function setForeignSidesAside(file: string, now: number): void {
  for (const side of foreignSides(file)) renameSync(side, freeName(`${side}.broken-${now}`))
}

/** The clock may have been set back since the last one. */
function freeName(name: string): string {
  return lookAt(name) ? freeName(`${name}-1`) : name
}

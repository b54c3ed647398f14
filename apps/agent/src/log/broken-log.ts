/**
 * A log file that is there and is no log: garbage, cut to nothing, another database. Nothing of it can be read again, so it
 * counts as lost (REB-1). A file that may not be opened is another matter: it is whole, and somebody must give it back (T24).
 */
import { renameSync, rmSync } from 'node:fs'

export function isBrokenLog(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  // A plain SQLITE_ERROR at the opening is a table that is missing or has another shape.
  return typeof code === 'string' && /^SQLITE_(NOTADB|CORRUPT.*|ERROR)$/.test(code)
}

/** Hold the session's lock. Nothing is erased: somebody may want to look at it. Returns its new name. */
export function setLogAside(file: string, now: number): string {
  const aside = `${file}.broken-${now}`
  renameSync(file, aside)
  for (const side of ['-wal', '-shm']) rmSync(`${file}${side}`, { force: true })
  return aside
}

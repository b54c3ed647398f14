/**
 * The data folder belongs to the hub's user alone: 0700, its files 0600 (STORE-4). New files are made so; those that an
 * earlier release, a backup or a copy left open are closed at the start.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'

/** The hub's own files, with what SQLite and people who keep copies put behind a name. Nobody else's file is touched. */
const own = /^(hub\.db|hub\.lock|hub\.log|secret|hub\.json|local-enrollment\.json)([.-].*)?$/

/** Returns what could not be closed. */
export function keepPrivate(dataDir: string): string[] {
  process.umask(0o077)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const files = readdirSync(dataDir).filter((name) => own.test(name))
  const places = [dataDir, ...files.map((name) => path.join(dataDir, name))]
  return places.filter((place) => !close(place))
}

function close(place: string): boolean {
  try {
    const found = lstatSync(place)
    if (found.isSymbolicLink() || (found.mode & 0o077) === 0) return true
    chmodSync(place, found.isDirectory() ? 0o700 : 0o600)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

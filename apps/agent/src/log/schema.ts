/**
 * The tables of a session's log file. One file holds the events and everything that must change together with them: received
 * commands, permission requests, grants, the prompt queue. The schema changes only by addition while hosts live (VER-2).
 */
import type Database from 'better-sqlite3'

export const LOG_SCHEMA_VERSION = 1

const tables = `
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
  seq INTEGER PRIMARY KEY,
  "to" INTEGER,
  kind TEXT NOT NULL,
  v INTEGER NOT NULL,
  at INTEGER NOT NULL,
  hash TEXT NOT NULL,
  body TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS inbox (
  commandId TEXT PRIMARY KEY,
  cmdSeq INTEGER,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  state TEXT NOT NULL,
  answer TEXT,
  at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS inbox_at ON inbox (at);
CREATE TABLE IF NOT EXISTS requests (
  requestId TEXT PRIMARY KEY,
  procId TEXT NOT NULL,
  outcome TEXT NOT NULL,
  row TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS requests_open ON requests (outcome) WHERE outcome IN ('open', 'applying');
CREATE TABLE IF NOT EXISTS grants (grantId TEXT PRIMARY KEY, row TEXT NOT NULL) WITHOUT ROWID;
`

/** Creates what is missing. The connection's pragmas are set and read back first. */
export function prepareForWriting(db: Database.Database): void {
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  // Small, so that neither the side file nor the memory of an idle host grows.
  db.pragma('wal_autocheckpoint = 200')
  db.pragma('cache_size = -256')
  if (process.platform === 'darwin') db.pragma('fullfsync = 1')
  if (db.pragma('journal_mode', { simple: true }) !== 'wal' || db.pragma('synchronous', { simple: true }) !== 2) {
    throw new Error('the log refused its durability settings')
  }
  db.exec(tables)
}

export function hasAllTables(db: Database.Database): boolean {
  const made = [...tables.matchAll(/CREATE TABLE IF NOT EXISTS (\w+)/g)].map(([, name]) => name)
  const found = db.prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  return made.every((table) => found.some(({ name }) => name === table))
}

/** Checks whether the mark of a damaged log belongs to the current log. */
import type Database from 'better-sqlite3'
import type { DamagedMark } from './damaged-mark'
import { isSoundLog } from './look-through'
import { hasAllTables } from './schema'
import { LogStatements } from './statements'

export class MarkedLog extends Error {}

/** Called before anything is written, because missing parts would be recreated. */
export function requireUnmarked(db: Database.Database, mark: DamagedMark): void {
  // One who could not even read its id may have met it half made; one who still had the log before it open meant that.
  const isMeant = mark.logId === null ? mark.torn || !isWhole(db) : mark.logId === new LogStatements(db).meta('logId')
  if (isMeant) throw new MarkedLog(mark.found)
}

const isWhole = (db: Database.Database): boolean =>
  hasAllTables(db) && new LogStatements(db).meta('logId') !== null && isSoundLog(db)

/** Checks whether the mark of a damaged log belongs to the current log. */
import type Database from 'better-sqlite3'
import type { DamagedMark } from './damaged-mark'
import { isSoundLog } from './look-through'
import { hasAllTables } from './schema'
import { LogStatements } from './statements'

export class MarkedLog extends Error {}

/** Called before anything is written, because missing parts would be recreated. */
export function requireUnmarked(db: Database.Database, mark: DamagedMark): void {
  // A process that could not even read the id may have found a half-created log. A process that still had the previous
  // log open meant that one.
  const isMeant = mark.logId === null ? mark.torn || !isWhole(db) : mark.logId === new LogStatements(db).meta('logId')
  if (isMeant) throw new MarkedLog(mark.found)
}

const isWhole = (db: Database.Database): boolean =>
  hasAllTables(db) && new LogStatements(db).meta('logId') !== null && isSoundLog(db)

/** Reads all of a log, slowly, for a caller that found an impossible value and must know whether the file is damaged. */
import type Database from 'better-sqlite3'
import { isDamage } from './broken-log'

/** The rows of `meta` that hold JSON. Other rows are plain words. */
const jsonRows = [
  'settings',
  'conversation',
  'projection',
  'turn',
  'queue',
  'lastState',
  'acked',
  'formerLogIds',
  'transcriptSeen',
]
  .map((key) => `'${key}'`)
  .join(', ')
const brokenTexts = `
SELECT 1 FROM inbox WHERE NOT json_valid(body) OR NOT json_valid(ifnull(answer, 'null'))
UNION ALL SELECT 1 FROM requests WHERE NOT json_valid(row)
UNION ALL SELECT 1 FROM grants WHERE NOT json_valid(row)
UNION ALL SELECT 1 FROM meta WHERE key IN (${jsonRows}) AND NOT json_valid(value)
LIMIT 1`

/** True if its pages agree and its texts can be parsed. */
export function isSoundLog(db: Database.Database): boolean {
  try {
    if (db.pragma('integrity_check(1)', { simple: true }) !== 'ok') return false
    return db.prepare(brokenTexts).get() === undefined
  } catch (error) {
    return !isDamage(error)
  }
}

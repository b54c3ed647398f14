/** A database as an older hub left it, for tests of what a migration makes of its rows. */
import { cpSync, mkdtempSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { type Connection, openWriter } from '../store/sqlite/file/connections'
import { loadHubIdentity } from '../store/sqlite/file/hub-identity'
import { migrate } from '../store/sqlite/file/migrate'
import { migrationsDir } from './test-store'

/** `before`: the first migration that the older hub does not know. */
export function makeOlderDatabase(file: string, before: string, fill: (db: Connection) => void): void {
  const older = mkdtempSync(path.join(path.dirname(file), 'migrations-'))
  for (const name of readdirSync(migrationsDir).filter((found) => found < before))
    cpSync(path.join(migrationsDir, name), path.join(older, name), { recursive: true })
  const db = openWriter(file)
  migrate(db, older)
  loadHubIdentity(db, { now: 1, file })
  fill(db)
  db.close()
}

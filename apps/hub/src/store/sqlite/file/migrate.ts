/**
 * Applies the committed migrations when the hub starts: plain SQL files, in the order of their names, each in one
 * transaction, each recorded with its checksum in a table that Prisma's own tools read (`_prisma_migrations`).
 * A migration that was changed after it had been applied stops the start.
 */
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { CodedError } from '@roundhouse/backend-types'
import type { Connection } from './connections'

interface Migration {
  name: string
  sql: string
  checksum: string
}

const tableSql = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" TEXT PRIMARY KEY NOT NULL, "checksum" TEXT NOT NULL, "finished_at" DATETIME, "migration_name" TEXT NOT NULL,
  "logs" TEXT, "rolled_back_at" DATETIME, "started_at" DATETIME NOT NULL DEFAULT current_timestamp,
  "applied_steps_count" INTEGER UNSIGNED NOT NULL DEFAULT 0)`

/** The names that were applied now. */
export function migrate(db: Connection, migrationsDir: string): string[] {
  const migrations = readMigrations(migrationsDir)
  db.exec(tableSql)
  const applied = new Map(
    db
      .prepare<[], { migration_name: string; checksum: string }>(
        'SELECT migration_name, checksum FROM "_prisma_migrations" WHERE rolled_back_at IS NULL AND finished_at IS NOT NULL',
      )
      .all()
      .map((row) => [row.migration_name, row.checksum]),
  )
  requireKnown(migrations, applied)
  const open = migrations.filter((migration) => !applied.has(migration.name))
  for (const migration of open) apply(db, migration)
  return open.map((migration) => migration.name)
}

function readMigrations(dir: string): Migration[] {
  if (!existsSync(dir)) throw new CodedError('STORAGE_UNAVAILABLE', `There are no migrations in ${dir}.`)
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = readFileSync(path.join(dir, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    })
}

function requireKnown(migrations: Migration[], applied: ReadonlyMap<string, string>): void {
  const ours = new Map(migrations.map((migration) => [migration.name, migration.checksum]))
  for (const [name, checksum] of applied) {
    if (!ours.has(name)) {
      throw new CodedError('STORAGE_UNAVAILABLE', `The database was made by a newer hub (migration ${name}).`)
    }
    if (ours.get(name) !== checksum) {
      throw new CodedError('STORAGE_UNAVAILABLE', `Migration ${name} was changed after it had been applied.`)
    }
  }
}

function apply(db: Connection, migration: Migration): void {
  db.transaction(() => {
    db.exec(migration.sql)
    db.prepare(
      `INSERT INTO "_prisma_migrations" (id, checksum, finished_at, migration_name, started_at, applied_steps_count)
       VALUES (?, ?, ?, ?, ?, 1)`,
    ).run(randomUUID(), migration.checksum, Date.now(), migration.name, Date.now())
  }).immediate()
}

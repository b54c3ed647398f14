// Prisma's migration engine without a native binary and without a download: the same engine as WebAssembly. Only developers
// use it. The hub never loads it; it applies the committed SQL files by itself. The package is an undocumented internal of
// Prisma, so package.json pins its exact version.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg'
import { migrationsDir, root } from '../common/paths.mjs'

const filters = { externalTables: [], externalEnums: [] }
const asFiles = (content) => ({ files: [{ path: 'schema.prisma', content }] })

async function loadWasm() {
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const bytes = readFileSync(path.join(path.dirname(entry), 'schema_engine_bg.wasm'))
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': bindings })
  bindings.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
}

const migrationNames = () =>
  existsSync(migrationsDir)
    ? readdirSync(migrationsDir, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name)
        .sort()
    : []

const migrationsList = () => ({
  baseDir: migrationsDir,
  shadowDbInitScript: '',
  lockfile: { path: 'migration_lock.toml', content: 'provider = "sqlite"\n' },
  migrationDirectories: migrationNames().map((name) => ({
    path: name,
    migrationFile: {
      path: 'migration.sql',
      content: {
        tag: 'ok',
        value: withoutPartialIndexes(readFileSync(path.join(migrationsDir, name, 'migration.sql'), 'utf8')),
      },
    },
  })),
})

/** Opens the engine on an in-memory database; nothing outside the process is touched. */
async function openEngine(schema) {
  await loadWasm()
  const factory = bindMigrationAwareSqlAdapterFactory(new PrismaBetterSqlite3({ url: ':memory:' }))
  return bindings.SchemaEngine.new({ datamodels: [['schema.prisma', schema]] }, () => {}, factory)
}

async function diff(engine, from, to) {
  const result = await engine.diff({ from, to, script: true, exitCode: true, filters })
  return result.exitCode === 2 ? result.stdout : null
}

/** The SQL that leads from one schema text (null: nothing yet) to another, or null when they agree. */
export async function planMigration(before, after) {
  const engine = await openEngine(after)
  const from = before === null ? { tag: 'empty' } : { tag: 'schemaDatamodel', ...asFiles(before) }
  return diff(engine, from, { tag: 'schemaDatamodel', ...asFiles(after) })
}

/** The engine cannot describe partial indexes here (it quotes their names as identifiers); the schema has none anyway. */
const withoutPartialIndexes = (sql) => sql.replace(/CREATE (UNIQUE )?INDEX [^;]*\sWHERE\s[^;]*;/g, '')

/** Applies every committed migration to a fresh database; the SQL that is still missing, or null. */
export async function findDrift(schema) {
  const engine = await openEngine(schema)
  await engine.applyMigrations({ migrationsList: migrationsList(), filters })
  return diff(
    engine,
    { tag: 'schemaDatasource', ...asFiles(schema), configDir: root },
    { tag: 'schemaDatamodel', ...asFiles(schema) },
  )
}

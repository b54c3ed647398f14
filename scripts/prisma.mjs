// node scripts/prisma.mjs generate | create NAME | check
//   generate   prisma/generated, the typed client (no network, no native engine)
//   create     prisma/migrations/sqlite/<time>_NAME/migration.sql: what changed since the last migration
//   check      fails when the committed migrations do not lead to prisma/schema.prisma
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { migrationsDir, root, schemaFile } from './lib/common/paths.mjs'

const snapshotFile = path.join(migrationsDir, 'schema.snapshot.prisma')

function generate() {
  const cli = createRequire(import.meta.url).resolve('prisma/build/index.js')
  const env = {
    // Before any command the CLI fetches its engine from the vendor, unless it is told of a file that exists.
    // generate never runs it, so any file will do; migrate would run it, so migrate is never called.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    CHECKPOINT_DISABLE: '1',
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    ...process.env,
  }
  const args = [cli, 'generate', '--no-hints', '--schema', schemaFile]
  const run = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' })
  if (run.status === 0) return 'prisma/generated is up to date'
  throw new Error(`prisma generate failed\n${run.stdout}${run.stderr}`)
}

async function create(name) {
  if (!/^[a-z0-9_]+$/.test(name ?? '')) throw new Error('usage: npm run db:migrate NAME   (a-z, 0-9, _)')
  const { planMigration } = await import('./lib/setup/schema-engine.mjs')
  const before = existsSync(snapshotFile) ? readFileSync(snapshotFile, 'utf8') : null
  const after = readFileSync(schemaFile, 'utf8')
  const sql = await planMigration(before, after)
  if (sql === null) return 'no change: the last migration already leads to this schema'
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  const dir = path.join(migrationsDir, `${stamp}_${name}`)
  mkdirSync(dir, { recursive: true })
  writeFileSync(path.join(dir, 'migration.sql'), sql)
  writeFileSync(snapshotFile, after)
  return `created ${path.relative(root, dir)}`
}

async function check() {
  const { findDrift } = await import('./lib/setup/schema-engine.mjs')
  const drift = await findDrift(readFileSync(schemaFile, 'utf8'))
  if (drift === null) return 'the migrations lead to the schema'
  throw new Error(`the migrations do not lead to prisma/schema.prisma; run npm run db:migrate NAME\n${drift}`)
}

const [command, argument] = process.argv.slice(2)
const commands = { generate, create, check }
const run = Object.hasOwn(commands, command ?? '') ? commands[command] : undefined
if (run === undefined) {
  console.error('usage: node scripts/prisma.mjs generate | create NAME | check')
  process.exit(2)
}
try {
  console.log(await run(argument))
  process.exit(0) // the wasm engine keeps the event loop alive
} catch (error) {
  console.error(error.message)
  process.exit(1)
}

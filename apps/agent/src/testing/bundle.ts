/** Bundles an entry of the agent for tests that start real processes. One file per source state, named by its hash. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

// Inside node_modules, so that the bundle finds the one package that stays outside of it.
const cache = fileURLToPath(new URL('../../../../node_modules/.cache/roundhouse', import.meta.url))

const made = new Map<string, Promise<string>>()

/** `entry` is relative to `apps/agent/src`. */
export function bundle(entry: string): Promise<string> {
  const known = made.get(entry) ?? make(entry)
  made.set(entry, known)
  return known
}

async function make(entry: string): Promise<string> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL(`../${entry}`, import.meta.url))],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: ['better-sqlite3'],
    write: false,
  })
  const code = result.outputFiles[0]?.text ?? ''
  const name = entry.replaceAll('/', '-').replace(/\.ts$/, '')
  const file = join(cache, `${name}-${createHash('sha256').update(code).digest('hex').slice(0, 12)}.mjs`)
  if (existsSync(file)) return file
  mkdirSync(cache, { recursive: true })
  const draft = `${file}.${process.pid}.tmp`
  writeFileSync(draft, code)
  renameSync(draft, file)
  return file
}

/**
 * The agent's programs as they are shipped, for tests that start real processes. What ships is split: a program reads only what it
 * uses. A reaper starts with a third less of the processor than from one file, a host with a tenth less.
 * One folder per source state, named by its hash.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const agentDir = fileURLToPath(new URL('../..', import.meta.url))
// Inside node_modules, so that the bundles find the one package that stays outside of them.
const cache = fileURLToPath(new URL('../../../../node_modules/.cache/roundhouse', import.meta.url))

const shipped = {
  'main.ts': 'main.js',
  'session-host/main.ts': 'host.js',
  'session-host/ask-main.ts': 'ask.js',
  'reaper/main.ts': 'reaper.js',
  'daemon/looks/look-main.ts': 'look.js',
  'daemon/looks/look-thread.ts': 'look-thread.js',
  'session-tools/main.ts': 'tools.js',
} as const

/** A program of the tests. */
type Own = `testing/${string}`

const made = new Map<string, Promise<string>>()
const once = (name: string, make: () => Promise<string>): Promise<string> => {
  const known = made.get(name) ?? make()
  made.set(name, known)
  return known
}

/** `entry` is relative to `apps/agent/src`. Resolves to the path of its program. */
export async function bundle(entry: keyof typeof shipped | Own): Promise<string> {
  if (entry in shipped) return path.join(await once('shipped', buildAgent), shipped[entry as keyof typeof shipped])
  return once(entry, () => buildOwn(entry))
}

const buildAgent = () =>
  kept('agent', (draft) => promisify(execFile)(process.execPath, [path.join(agentDir, 'build.mjs'), draft]))

async function buildOwn(entry: string): Promise<string> {
  const name = path.basename(entry, '.ts')
  const folder = await kept(name, (outdir) =>
    build({
      entryPoints: [path.join(agentDir, 'src', entry)],
      outdir,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      external: ['better-sqlite3'],
    }),
  )
  return path.join(folder, `${name}.js`)
}

/** Builds into a draft, which becomes the folder of its content, unless another worker made that meanwhile. */
async function kept(name: string, make: (draft: string) => Promise<unknown>): Promise<string> {
  mkdirSync(cache, { recursive: true })
  const draft = path.join(cache, `${name}-draft-${process.pid}`)
  await make(draft)
  const hash = createHash('sha256')
  for (const file of readdirSync(draft, { recursive: true, encoding: 'utf8' }).sort()) {
    if (file.endsWith('.js')) hash.update(file).update(readFileSync(path.join(draft, file)))
  }
  const folder = path.join(cache, `${name}-${hash.digest('hex').slice(0, 12)}`)
  try {
    if (!existsSync(folder)) renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
  rmSync(draft, { recursive: true, force: true })
  return folder
}

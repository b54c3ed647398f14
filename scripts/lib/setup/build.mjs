// Builds only if something changed: one hash covers all inputs.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inTurn } from '../common/in-turn.mjs'
import { inRoot, root } from '../common/paths.mjs'
import { mustRun, tool } from '../common/run.mjs'

const inputs = [
  'package-lock.json',
  'tsconfig.base.json',
  'turbo.json',
  'scripts/lib/setup/bundle.mjs',
  'prisma',
  'packages',
  'apps',
]
const outputs = [
  'prisma/generated/client.ts',
  'apps/agent/dist/main.js',
  'apps/hub/dist/server.js',
  'apps/hub/dist/audit-check.js',
  'apps/hub/dist/recover.js',
  'apps/hub/.next/BUILD_ID',
]
const made = new Set(['node_modules', 'dist', '.next', '.turbo', 'generated', '.build', 'fixtures', 'next-env.d.ts'])
const stampFile = inRoot('node_modules/.cache/roundhouse/build')

const isInput = (name) => !made.has(name) && !/\.(test|suite)\.tsx?$|\.tsbuildinfo$/.test(name)

function addToHash(hash, name) {
  const entry = path.join(root, name)
  if (statSync(entry).isFile()) hash.update(name).update('\0').update(readFileSync(entry)).update('\0')
  else for (const child of readdirSync(entry).filter(isInput).sort()) addToHash(hash, path.join(name, child))
}

function hashInputs() {
  const hash = createHash('sha256').update(process.versions.node)
  for (const name of inputs) addToHash(hash, name)
  return hash.digest('hex')
}

/** Why a build is needed, or null. */
function whyBuild(hash = hashInputs()) {
  const missing = outputs.find((name) => !existsSync(inRoot(name)))
  if (missing !== undefined) return `${missing} is missing`
  const built = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : ''
  return built === hash ? null : 'the sources have changed'
}

/** The typed database client: all that tests need which run sources as they are. */
export async function generateClient() {
  await mustRun('prisma generate', [process.execPath, inRoot('scripts/prisma.mjs'), 'generate'])
  return 'the database client only'
}

/** What development needs: the database client, and the agent's bundles, which its session hosts are started from. */
export async function prepareSources(say) {
  await inTurn(say, async () => {
    await generateClient()
    const build = [process.execPath, inRoot('apps/agent/build.mjs')]
    await mustRun("the agent's build", build, { cwd: inRoot('apps/agent') })
  })
}

/** A production build of the hub and the agent; returns what was done. */
export async function ensureBuilt(say) {
  return whyBuild() === null ? 'up to date' : inTurn(say, () => build(say))
}

async function build(say) {
  const hash = hashInputs()
  const reason = whyBuild(hash)
  if (reason === null) return 'up to date'
  say(`Building: ${reason}. This takes a minute or more.`)
  await generateClient()
  const env = { NODE_ENV: 'production', TURBO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1' }
  await mustRun('the build', [tool('turbo'), 'run', 'build', '--output-logs=errors-only'], { env })
  mkdirSync(path.dirname(stampFile), { recursive: true })
  writeFileSync(stampFile, hash)
  return 'built'
}

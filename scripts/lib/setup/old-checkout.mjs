// A clone of this repository at an earlier commit, installed and built. It is kept for the next run, by its commit.
import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inRoot, root } from '../common/paths.mjs'
import { mustRun, npmCommand, PlainError, run } from '../common/run.mjs'

/** The release before this one. Change it with each release. */
const RELEASE = 'd4efa9af0413'

/** Where nothing is said: the latest tag, else the release before. */
async function resolveCommit(wanted) {
  const tag = await run(['git', 'describe', '--tags', '--abbrev=0'])
  const name = wanted ?? (tag.code === 0 ? tag.output.trim() : RELEASE)
  const { code, output } = await run(['git', 'rev-parse', '--verify', '--quiet', `${name}^{commit}`])
  if (code !== 0) throw new PlainError(`There is no commit ${name} here. Usage: npm run compat -- COMMIT`)
  return output.trim()
}

/** Hard links cost no space; nothing in them is written again. Caches of builds are left out. */
function linkPackages(from, to) {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (entry.name === '.cache') continue
    if (entry.isDirectory()) linkPackages(source, target)
    else if (entry.isSymbolicLink()) cpSync(source, target, { verbatimSymlinks: true })
    else linkSync(source, target)
  }
}

/** Whether every package of the old lock is installed here in that very version. Those of the repository itself are links. */
function hasAllPackages(folder) {
  const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages
  const here = packagesOf(inRoot('package-lock.json'))
  const isOwn = (place) => !/(^|\/)node_modules\//.test(place)
  return Object.entries(packagesOf(path.join(folder, 'package-lock.json'))).every(
    ([place, { version, integrity, link }]) =>
      link || isOwn(place) || (here[place]?.version === version && here[place].integrity === integrity),
  )
}

async function install(folder, say) {
  if (!hasAllPackages(folder)) {
    say('Installing the packages of that commit.')
    const command = npmCommand('ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error')
    await mustRun('npm ci', command, { cwd: folder })
    return
  }
  for (const place of ['.', 'apps/hub', 'apps/agent', 'e2e']) {
    const own = path.join(place, 'node_modules')
    if (existsSync(inRoot(own))) linkPackages(inRoot(own), path.join(folder, own))
  }
}

/** The folder of the built checkout. */
export async function makeOldCheckout(wanted, say) {
  const commit = await resolveCommit(wanted)
  const folder = inRoot('node_modules/.cache/roundhouse/compat', commit)
  const built = path.join(folder, '.built')
  if (!existsSync(built)) {
    say(`Building ${commit.slice(0, 10)}. It is kept in ${path.relative(root, folder)}.`)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(path.dirname(folder), { recursive: true })
    await mustRun('git clone', ['git', 'clone', '--quiet', '--shared', '--no-checkout', root, folder])
    await mustRun('git checkout', ['git', '-C', folder, 'checkout', '--quiet', '--detach', commit])
    await install(folder, say)
    const env = { NODE_ENV: 'production', TURBO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1' }
    await mustRun('its build', npmCommand('run', 'build'), { cwd: folder, env })
    writeFileSync(built, '')
  }
  return folder
}

// Installs the packages of the lock if node_modules lacks them, and says why.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inTurn } from '../common/in-turn.mjs'
import { inRoot, root } from '../common/paths.mjs'
import { npmCommand, PlainError, run } from '../common/run.mjs'
import { buildEnvironment, whyNotBuilt } from './native-build.mjs'

const lockFile = inRoot('package-lock.json')
const installedFile = inRoot('node_modules/.package-lock.json') // npm's own record, written when an install is complete
const abiFile = inRoot('node_modules/.roundhouse-abi')

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/**
 * Packages that the lock asks for and the installed tree lacks or has in another version. What is optional
 * (other platforms' binaries) may be absent.
 */
export function findUninstalled(lock, installed) {
  return Object.entries(lock.packages)
    .filter(([key, { link, optional, devOptional, peer }]) => {
      return key.includes('node_modules/') && !link && !optional && !devOptional && !peer
    })
    .filter(
      ([key, entry]) => installed.packages[key] === undefined || installed.packages[key].version !== entry.version,
    )
    .map(([key]) => key)
}

/** Packages of this repository that npm would link into node_modules, and that are not there: a new one, for example. */
export function findUnlinked(lock, folder) {
  return Object.entries(lock.packages)
    .filter(([key, { link }]) => link && !existsSync(path.join(folder, key)))
    .map(([key, { resolved }]) => ({ link: path.join(folder, key), to: path.join(folder, resolved) }))
}

/** As npm does it. For a new package of this repository alone, `npm ci` would take minutes. */
export function makeLinks(unlinked) {
  for (const { link, to } of unlinked) {
    mkdirSync(path.dirname(link), { recursive: true })
    rmSync(link, { force: true }) // one that leads nowhere
    symlinkSync(path.relative(path.dirname(link), to), link, 'junction')
  }
}

const unlinkedHere = () => findUnlinked(readJson(lockFile), root)

/** Why packages have to be installed, or null. */
function whyInstall() {
  if (!existsSync(installedFile)) return 'node_modules is missing'
  const [first, ...rest] = findUninstalled(readJson(lockFile), readJson(installedFile))
  if (first !== undefined)
    return `node_modules lacks ${first.split('node_modules/').pop()}${rest.length ? ' and others' : ''}`
  // Compiled addons belong to one line of Node.js.
  const abi = existsSync(abiFile) ? readFileSync(abiFile, 'utf8') : process.versions.modules
  return abi === process.versions.modules ? null : 'Node.js has changed since they were installed'
}

async function install(say) {
  const command = npmCommand('ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error')
  const options = { show: true, keep: true, env: buildEnvironment() }
  const first = await run(command, options)
  if (first.code === 0) return
  const why = whyNotBuilt(first.output)
  if (why !== null) throw new PlainError(why)
  // A registry that hiccups once must not end a run of an hour.
  say(`npm ci failed (exit code ${first.code}) and is tried once more.`)
  const second = await run(command, options)
  if (second.code !== 0) {
    throw new PlainError(whyNotBuilt(second.output) ?? `npm ci failed (exit code ${second.code}).`)
  }
}

/** Returns what was done, for the line of this stage. */
export async function ensureInstalled(say) {
  if (whyInstall() === null && unlinkedHere().length === 0) {
    if (!existsSync(abiFile)) writeFileSync(abiFile, process.versions.modules)
    return 'up to date'
  }
  return inTurn(say, async () => {
    const reason = whyInstall()
    if (reason === null) {
      makeLinks(unlinkedHere())
      return 'up to date'
    }
    say(`Installing packages: ${reason}. The first time takes some minutes.`)
    await install(say)
    writeFileSync(abiFile, process.versions.modules)
    return 'installed'
  })
}

// Installs the packages of the lock when node_modules does not hold them, and says why.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { inRoot } from './paths.mjs'
import { mustRun, npmCommand, run } from './run.mjs'

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
    .filter(([key, entry]) => key.includes('node_modules/') && !entry.optional && !entry.devOptional && !entry.peer)
    .filter(
      ([key, entry]) => installed.packages[key] === undefined || installed.packages[key].version !== entry.version,
    )
    .map(([key]) => key)
}

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

/** Returns what was done, for the line of this stage. */
export async function ensureInstalled(say) {
  const reason = whyInstall()
  if (reason !== null) {
    say(`Installing packages: ${reason}. The first time takes some minutes.`)
    const install = npmCommand('ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error')
    // A registry that hiccups once must not end a run of an hour.
    const { code } = await run(install, { show: true })
    if (code !== 0) {
      say(`npm ci failed (exit code ${code}) and is tried once more.`)
      await mustRun('npm ci', install, { show: true })
    }
  }
  if (reason !== null || !existsSync(abiFile)) writeFileSync(abiFile, process.versions.modules)
  return reason === null ? 'up to date' : 'installed'
}

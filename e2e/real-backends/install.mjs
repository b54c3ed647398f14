/**
 * `node e2e/real-backends/install.mjs`: the pinned programs, in a folder of their own outside the workspaces. They are large
 * (about 1 GB) and mostly native; where one cannot be had, its tests are skipped with the reason given here.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * @typedef {{ bin: string, version: string }} Found
 * @typedef {{ skipped: string }} Missing
 * @typedef {'claude' | 'codex' | 'opencode' | 'gemini'} Name
 * @typedef {Record<Name, Found | Missing>} RealBackends
 */

const here = dirname(fileURLToPath(import.meta.url))
const windows = process.platform === 'win32'
const HINT = 'node e2e/real-backends/install.mjs'

const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
/** @type {Record<string, string>} */
const pinned = { ...dependencies, ...optionalDependencies }

/** @type {Array<[Name, string, () => string[]]>} its package, and where its program may be */
const programs = [
  ['claude', '@anthropic-ai/claude-code', claudePrograms],
  ['codex', '@openai/codex', codexPrograms],
  ['opencode', 'opencode-linux-x64', () => [join(here, 'node_modules', 'opencode-linux-x64', 'bin', 'opencode')]],
  ['gemini', '@google/gemini-cli', () => [join(here, 'node_modules', '@google', 'gemini-cli', 'bundle', 'gemini.js')]],
]

/**
 * What is there now, of all or of these. Nothing is installed.
 * @template {Name} N
 * @param {N[]} names
 * @returns {Promise<Record<N, Found | Missing>>}
 */
export async function findRealBackends(...names) {
  const wanted = programs.filter(([name]) => names.length === 0 || names.some((one) => one === name))
  return Object.fromEntries(await Promise.all(wanted.map(async (program) => [program[0], await findOne(program)])))
}

/** @param {[Name, string, () => string[]]} program @returns {Promise<Found | Missing>} */
function findOne([name, packageName, placesOf]) {
  const override = process.env[`ROUNDHOUSE_REAL_${name.toUpperCase()}`]
  return find(name, packageName, override, placesOf())
}

/**
 * Installs what is not there. Never rejects: without a network the reason is part of the answer.
 * @returns {Promise<RealBackends>}
 */
export async function installRealBackends() {
  const before = await findRealBackends()
  if (Object.values(before).every((one) => !('skipped' in one))) return before
  const failure = await npmCi()
  const after = await findRealBackends()
  if (failure === null) return after
  const because = (/** @type {Found | Missing} */ one) =>
    'skipped' in one ? { skipped: `${one.skipped} (npm ci failed: ${failure})` } : one
  return {
    claude: because(after.claude),
    codex: because(after.codex),
    opencode: because(after.opencode),
    gemini: because(after.gemini),
  }
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

/**
 * @param {string} name @param {string} packageName @param {string | undefined} override @param {string[]} programs
 * @returns {Promise<Found | Missing>}
 */
async function find(name, packageName, override, programs) {
  const wanted = pinned[packageName]
  for (const bin of override ? [override] : programs.filter((path) => existsSync(path))) {
    const version = await versionOf(bin)
    if (version && (override || version === wanted)) return { bin, version }
  }
  return { skipped: `${name} ${wanted} is not installed here: ${HINT}` }
}

/**
 * A native program may not run here, and is started. One of JavaScript takes seconds to start, and runs where we do.
 * @param {string} bin @returns {Promise<string | null>}
 */
async function versionOf(bin) {
  const packageFile = join(dirname(bin), '..', 'package.json')
  if (bin.endsWith('.js') && existsSync(packageFile))
    return JSON.parse(readFileSync(packageFile, 'utf8')).version ?? null
  return new Promise((resolve) => {
    execFile(bin, ['--version'], { timeout: 20_000 }, (error, stdout) => {
      resolve(error ? null : (/\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? null))
    })
  })
}

/**
 * Its own install scripts are not needed, and the engines field of a native program says nothing about it.
 * @returns {Promise<string | null>} why it failed
 */
function npmCi() {
  const cli = process.env.npm_execpath
  const [file, ...first] = cli?.endsWith('.js') ? [process.execPath, cli] : [windows ? 'npm.cmd' : 'npm']
  const args = [...first, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--no-workspaces', '--loglevel=error']
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: here, shell: windows, stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text
    })
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code) => resolve(code === 0 ? null : (said.trim().split('\n')[0] ?? `exit code ${code}`)))
  })
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const backends = await installRealBackends()
  console.log(describeBackends(backends))
  process.exitCode = Object.values(backends).some((one) => 'skipped' in one) ? 1 : 0
}

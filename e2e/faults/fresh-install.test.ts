/**
 * A fresh clone on a machine that reaches a package registry and nothing else: an empty home, no prebuilt SQLite, no headers to download.
 * Takes minutes and a registry: `ROUNDHOUSE_FRESH_INSTALL=1 npx vitest run faults/fresh-install.test.ts`.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { freshFolder, repoRoot } from '../support/common/paths'
import { until } from '../support/common/until'
import { OwnedProcess } from '../support/processes/owned-process'

const wanted = process.env.ROUNDHOUSE_FRESH_INSTALL === '1'
const limitMs = 1_800_000
let folder = ''
let command: OwnedProcess | undefined

beforeEach(() => {
  folder = freshFolder('fresh')
})
afterEach(async () => {
  await command?.end('SIGINT')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}, limitMs) // a gigabyte

const nowhere = 'http://127.0.0.1:1'

/** `npm start` as somebody runs it first. */
function start(searchPath: string): OwnedProcess {
  const clone = path.join(folder, 'clone')
  execFileSync('git', ['clone', '--quiet', repoRoot, clone])
  const home = path.join(folder, 'home')
  mkdirSync(home)
  const asked = { cwd: repoRoot, encoding: 'utf8', stdio: 'pipe' } as const
  const registry = execFileSync('npm', ['config', 'get', 'registry'], asked).trim()
  const env = {
    PATH: searchPath,
    HOME: home,
    PORT: '0',
    npm_config_registry: registry,
    npm_config_better_sqlite3_binary_host: nowhere,
    npm_config_disturl: nowhere,
  }
  command = new OwnedProcess([path.join(clone, 'scripts/start.mjs')], env, clone)
  return command
}

it.runIf(wanted)(
  'npm start installs, builds SQLite with the headers that lie beside Node.js, and runs',
  async () => {
    const started = start(process.env.PATH ?? '')
    await until('it to run or to end', () => !started.alive || started.output.includes('Ctrl-C to stop'), limitMs)
    expect(started.output).toContain('Roundhouse is running.')
  },
  limitMs,
)

it.runIf(wanted)(
  'where nothing can be built, its last line says what the machine lacks',
  async () => {
    const tools = path.join(folder, 'bin')
    mkdirSync(tools)
    for (const place of ['/bin', '/usr/bin', path.dirname(process.execPath)]) {
      for (const name of readdirSync(place).filter(
        (one) => !/^(g?make|python.*|.*(gcc|g\+\+|c\+\+|clang).*|cc)$/.test(one),
      )) {
        rmSync(path.join(tools, name), { force: true })
        symlinkSync(path.join(place, name), path.join(tools, name))
      }
    }
    const started = start(tools)
    await until('it to end', () => !started.alive, limitMs)
    const said = started.output.trim().split('\n').at(-1)
    expect(said).toMatch(
      /^SQLite .* this machine lacks a C\+\+ compiler \(g\+\+\), make and Python 3; .* then start this again\.$/,
    )
  },
  limitMs,
)

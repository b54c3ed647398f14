/** The file that other machines install the agent from: complete, with one dependency, and nothing of the one who packed it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshFolder, repoRoot } from '../support/common/paths'
import { AgentProcess } from '../support/processes/agent-process'
import { hubOfFile } from '../support/wire/hub-of-file'

const { hub } = hubOfFile('packed')
const folder = freshFolder('packed')
const installed = path.join(folder, 'package')
let machine: AgentProcess | undefined

beforeAll(() => {
  execFileSync(process.execPath, [path.join(repoRoot, 'scripts/pack-agent.mjs'), folder])
  const [file] = readdirSync(folder)
  execFileSync('tar', ['-xzf', path.join(folder, file ?? '')], { cwd: folder })
})
afterAll(async () => {
  await machine?.stop()
  if (machine) rmSync(machine.home, { recursive: true, force: true, maxRetries: 5 })
  rmSync(folder, { recursive: true, force: true })
})

const manifest = () => JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'))

/** As npm would: the declared packages, and what they need themselves. */
function install(): void {
  mkdirSync(path.join(installed, 'node_modules'))
  const wanted = new Set(Object.keys(manifest().dependencies))
  for (const name of wanted) {
    const from = path.join(repoRoot, 'node_modules', name)
    const { dependencies = {} } = JSON.parse(readFileSync(path.join(from, 'package.json'), 'utf8'))
    for (const further of Object.keys(dependencies)) wanted.add(further)
    symlinkSync(from, path.join(installed, 'node_modules', name))
  }
}

it('depends on SQLite at one exact version and on nothing else, and runs nothing at install', () => {
  const { dependencies, scripts, bin } = manifest()
  expect(dependencies).toEqual({ 'better-sqlite3': expect.stringMatching(/^\d+\.\d+\.\d+$/) })
  expect(scripts).toBeUndefined()
  expect(bin).toEqual({ 'roundhouse-agent': 'dist/main.js' })
})

it('names no folder of the machine that packed it', () => {
  const texts = readdirSync(path.join(installed, 'dist'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => [entry.name, readFileSync(path.join(entry.parentPath, entry.name), 'utf8')] as const)
  expect(texts.length).toBeGreaterThan(5)
  const telling = texts.filter(([, text]) => text.includes(repoRoot))
  expect(telling.map(([name]) => name)).toEqual([])
})

it('joins a hub and stays connected, away from the repository', async () => {
  install()
  machine = new AgentProcess(freshFolder('machine'), {}, path.join(installed, 'dist/main.js'))
  machine.writePolicy({ roots: [] })
  await machine.join(hub, 'from its package')
  await machine.start()
  expect((await machine.command(['status'])).output).toContain('connected')
})

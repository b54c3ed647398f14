/** Two hubs that write one data folder ruin it: the first has it alone, whoever comes second says who that is. */
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { freshFolder, repoRoot } from '../support/common/paths'
import { until } from '../support/common/until'
import { preciousThings, putInTheWay, type Sort } from '../support/damage/in-the-way'
import { owner } from '../support/processes/hub-process'
import { OwnedProcess } from '../support/processes/owned-process'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { hubOfFile } from '../support/wire/hub-of-file'

const own = hubOfFile('one-hub')
const { folder, hub, web } = own
const started: OwnedProcess[] = []
const folders: string[] = []

afterAll(async () => {
  for (const one of started) await one.end('SIGKILL')
  for (const one of folders) rmSync(one, { recursive: true, force: true, maxRetries: 5 })
})

function scratch(name: string): string {
  const made = freshFolder(name)
  folders.push(made)
  return made
}

function run(script: string, args: string[], env: Record<string, string> = {}): OwnedProcess {
  const place = { PATH: process.env.PATH ?? '', HOME: scratch('home'), ...env }
  const child = new OwnedProcess([path.join(repoRoot, script), ...args], place, repoRoot)
  started.push(child)
  return child
}

const startHub = (dataDir: string) =>
  run('apps/hub/dist/server.js', [], { NODE_ENV: 'production', PORT: '0', ROUNDHOUSE_DATA_DIR: dataDir })
const isUp = (one: OwnedProcess) => one.output.includes('Roundhouse is running')
const decided = (one: OwnedProcess) => until('it to be up or to end', () => isUp(one) || !one.alive)

/** What a program that must not go on says before it ends. */
async function refusal(one: OwnedProcess): Promise<string> {
  await decided(one)
  expect(isUp(one), one.output).toBe(false)
  expect(one.succeeded).toBe(false)
  return one.output.trim()
}

async function ended(one: OwnedProcess): Promise<{ ok: boolean; text: string }> {
  await until('it to end', () => !one.alive)
  return { ok: one.succeeded, text: one.output }
}

const recover = (dataDir: string) => ended(run('apps/hub/dist/recover.js', ['--data', dataDir, owner.email]))
const file = (name: string) => path.join(folder, name)
const answers = async () => (await web.ask('/api/v1/sessions', { headers: { login: own.login } })).status

it('[STORE-5.5] [T25] a second hub on the same folder ends and says which process holds it, by whatever path it came', async () => {
  const link = path.join(scratch('link'), 'data')
  symlinkSync(folder, link)
  const before = readFileSync(file('hub.json'), 'utf8')
  for (const spelling of [
    folder,
    link,
    `${path.dirname(folder)}/./${path.basename(folder)}/../${path.basename(folder)}/`,
  ]) {
    const said = await refusal(startHub(spelling))
    expect(said).toMatch(new RegExp(`^A hub already runs on .* \\(process ${hub.pid}, since \\d{4}-.*\\)`))
    expect(said).toContain(hub.url)
    expect(said).not.toContain('PORT')
  }
  expect(readFileSync(file('hub.json'), 'utf8')).toBe(before)
  expect(await answers()).toBe(200)
})

it('[STORE-5.7] it is refused also where somebody took the lock and the announcement for leftovers', async () => {
  const kept = ['hub.json', 'hub.lock'].filter((name) => existsSync(file(name)))
  const texts = kept.map((name) => readFileSync(file(name)))
  for (const name of kept) rmSync(file(name))
  expect(await refusal(startHub(folder))).toContain(`process ${hub.pid}`)
  expect(await recover(folder)).toMatchObject({ ok: false, text: expect.stringContaining(`process ${hub.pid}`) })
  for (const [at, name] of kept.entries()) writeFileSync(file(name), texts[at] ?? '')
})

it('[STORE-5] npm start names the hub that runs on the folder, and advises no other port', async () => {
  for (const port of [String(hub.port), '0']) {
    const home = scratch('start')
    const command = run('scripts/start.mjs', [], {
      PORT: port,
      ROUNDHOUSE_DATA_DIR: folder,
      ROUNDHOUSE_AGENT_HOME: path.join(home, 'agent'),
      ROUNDHOUSE_WORKSPACE: path.join(home, 'workspace'),
    })
    await until('npm start to run or to end', () => !command.alive || command.output.includes('Ctrl-C to stop'))
    const wasRefused = !command.alive
    await command.end('SIGINT')
    expect([wasRefused, command.succeeded], command.output).toEqual([true, false])
    expect(command.output).toContain(`process ${hub.pid}`)
    expect(command.output).toContain(hub.url)
    expect(command.output).not.toContain('PORT')
  }
})

it('[STORE-5.8] a copy of the folder that was made while its hub ran is a folder of its own', async () => {
  const copy = path.join(scratch('copy'), 'data')
  cpSync(folder, copy, { recursive: true })
  expect((await recover(copy)).ok).toBe(true)
  const second = startHub(copy)
  await decided(second)
  expect(isUp(second), second.output).toBe(true)
  await second.end('SIGTERM')
  expect(await answers()).toBe(200)
})

it('[STORE-5.24] the audit log is checked beside a hub that runs', async () => {
  const done = await ended(run('apps/hub/dist/audit-check.js', ['--data', folder]))
  expect(done).toEqual({ ok: true, text: expect.stringContaining('audit log intact') })
})

it('[STORE-5.1] of several hubs that start at the same instant exactly one comes up', async () => {
  const dataDir = scratch('at-once')
  for (let round = 0; round < 2; round += 1) {
    const all = Array.from({ length: 4 }, () => startHub(dataDir))
    for (const one of all) await decided(one)
    const up = all.filter((one) => one.alive)
    expect(up.length, all.map((one) => one.output).join('\n')).toBe(1)
    for (const one of all.filter((other) => other !== up[0])) expect(one.output).toContain(`process ${up[0]?.pid}`)
    await up[0]?.end('SIGKILL') // the second round begins behind a holder that left everything lying
  }
})

it('[STORE-5.4] [STORE-5.6] a process that was killed holds nothing, also where its number belongs to another one now', async () => {
  await hub.kill()
  const left = ['hub.json', 'hub.lock.json'].filter((name) => existsSync(file(name)))
  expect(left).toContain('hub.json')
  for (const name of left) {
    const text = readFileSync(file(name), 'utf8')
    writeFileSync(file(name), JSON.stringify({ ...JSON.parse(text), pid: process.pid }))
  }
  expect(await recover(folder)).toMatchObject({ ok: true, text: expect.stringContaining('/invitation#') })
  await hub.start()
  expect(await answers()).toBe(200)
})

const otherPlaces: Array<[string, Sort, string]> = [
  ['hub.lock', 'link', 'a link and no ordinary file'],
  ['hub.lock', 'pipe', 'a named pipe and no ordinary file'],
  ['secret', 'pipe', 'a named pipe and no ordinary file'],
]
it.each<[string, Sort, string]>([
  ['hub.lock', 'hard link', 'a file that has another name, and no lock'],
  ['secret', 'link', 'a link and no ordinary file'],
  ['hub.db-journal', 'pipe', 'a named pipe and no ordinary file'],
  ...(wholeMatrix ? otherPlaces : []),
])(
  '[STORE-5.20] in the place of %s a %s ends the start with one sentence, and what it leads to stays',
  async (name, sort, what) => {
    const precious = preciousThings()
    const copy = path.join(scratch('in-the-way'), 'data')
    cpSync(folder, copy, { recursive: true })
    const place = path.join(copy, name)
    putInTheWay(place, sort, precious.file)
    expect(await refusal(startHub(copy))).toBe(`${place} is ${what}: move it away.`)
    expect(readFileSync(precious.file, 'utf8')).toBe(precious.text)
    rmSync(precious.folder, { recursive: true })
  },
)

it('[STORE-5] in the place of what it announces a pipe or a link is replaced, and what that leads to stays', async () => {
  const precious = preciousThings()
  const copy = path.join(scratch('in-the-way'), 'data')
  cpSync(folder, copy, { recursive: true })
  for (const [name, sort] of [
    ['hub.json', 'pipe'],
    ['hub.lock.json', 'pipe'],
    ['.probe', 'link'],
  ] as const)
    putInTheWay(path.join(copy, name), sort, precious.file)
  const second = startHub(copy)
  await decided(second)
  expect(isUp(second), second.output).toBe(true)
  expect(JSON.parse(readFileSync(path.join(copy, 'hub.json'), 'utf8'))).toMatchObject({ pid: second.pid })
  await second.end('SIGTERM')
  expect(readFileSync(precious.file, 'utf8')).toBe(precious.text)
  rmSync(precious.folder, { recursive: true })
})

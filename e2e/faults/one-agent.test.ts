/** What two processes of one machine may write at the same time: the home of an agent, its key, its policy. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { FAILPOINTS_VARIABLE } from '@roundhouse/failpoint'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshFolder, repoRoot } from '../support/common/paths'
import { until } from '../support/common/until'
import { preciousThings, putInTheWay, type Sort } from '../support/damage/in-the-way'
import { OwnedProcess } from '../support/processes/owned-process'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { hubOfFile } from '../support/wire/hub-of-file'

const own = hubOfFile('one-agent')
const { web } = own
const home = freshFolder('agent')
const state = (name: string) => path.join(home, 'state', name)
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
const started: OwnedProcess[] = []

beforeAll(async () => {
  expect(await ended(run(await joining('first')))).toMatchObject({ ok: true })
})
afterAll(async () => {
  for (const one of started) await one.end('SIGKILL')
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
})

function run(args: string[], env: Record<string, string> = {}): OwnedProcess {
  const place = { PATH: process.env.PATH ?? '', HOME: home, ROUNDHOUSE_AGENT_HOME: home, ...env }
  const child = new OwnedProcess([path.join(repoRoot, 'apps/agent/dist/main.js'), ...args], place, home)
  started.push(child)
  return child
}

async function ended(one: OwnedProcess): Promise<{ ok: boolean; text: string }> {
  await until('it to end', () => !one.alive)
  return { ok: one.succeeded, text: one.output }
}

async function joining(name: string, ...more: string[]): Promise<string[]> {
  const made = await web.post(
    '/api/v1/enrollment-tokens',
    {},
    { login: own.login, 'idempotency-key': `one-agent-${name}` },
  )
  const { token, hubKeyFingerprint, hubUrl } = JSON.parse(made.body)
  const tokenFile = path.join(home, `token-${name}`)
  writeFileSync(tokenFile, token, { mode: 0o600 })
  return ['join', hubUrl, '--fingerprint', hubKeyFingerprint, '--token-file', tokenFile, '--name', name, ...more]
}

const up = () => run(['up', '--allow-root'])
const isUp = (one: OwnedProcess) => existsSync(state('daemon.json')) && read(state('daemon.json')).pid === one.pid
const decided = (one: OwnedProcess) => until('it to be up or to end', () => isUp(one) || !one.alive)
const refused = (pid: number) => ({
  ok: false,
  text: expect.stringMatching(`process ${pid}, since 2.*ALREADY_RUNNING`),
})

it('[STORE-5.2] [T25] of several agents that start at the same instant, beside one that asks for the status, one comes up and is named', async () => {
  const asking = Array.from({ length: 3 }, () => run(['status']))
  const all = Array.from({ length: 3 }, up)
  for (const one of all) await decided(one)
  const [first, ...more] = all.filter((one) => one.alive)
  expect([first?.alive, more.length], all.map(({ output }) => output).join('\n')).toEqual([true, 0])
  for (const one of asking) await ended(one)
  expect(await ended(up())).toEqual(refused(first?.pid ?? 0))
  expect(await ended(run(await joining('second', '--replace')))).toEqual(refused(first?.pid ?? 0))
  await first?.end('SIGKILL')
})

it('[STORE-5.7] where the lock file was deleted under it, it is alone all the same', async () => {
  const first = up()
  await decided(first)
  rmSync(state('daemon.lock'))
  const second = up()
  await decided(second)
  expect([second.alive, first.alive], second.output).toEqual([false, true])
  expect(second.output).toContain(`process ${first.pid}`)
  await first.end('SIGKILL')
})

it('[STORE-5.4] [STORE-5.15] a daemon that was killed and a lock file that is damaged keep nobody away', async () => {
  const left = read(state('daemon.json'))
  writeFileSync(state('daemon.json'), JSON.stringify({ ...left, pid: process.pid }))
  writeFileSync(state('daemon.lock'), 'no lock '.repeat(1_000))
  const first = up()
  await decided(first)
  expect(first.alive, first.output).toBe(true)
  expect(await ended(up())).toEqual(refused(first.pid))
  await first.end('SIGTERM')
})

it('[JOIN-2] a machine that is just being given another key joins no other hub meanwhile', async () => {
  const mark = path.join(home, 'asked')
  const held = path.join(home, 'held')
  writeFileSync(held, '')
  const point = { do: 'stall', ms: 120_000, mark, while: held }
  const rotating = run(['rotate-key'], {
    [FAILPOINTS_VARIABLE]: JSON.stringify({ 'agent.newKey.afterAnswer.beforePersist': point }),
  })
  await until('the hub to know the new key', () => existsSync(mark))
  const { agentId } = read(state('identity.json'))
  const joined = await ended(run(await joining('third', '--replace')))
  rmSync(held)
  expect(await ended(rotating)).toMatchObject({ ok: true })
  expect(joined).toEqual({ ok: false, text: expect.stringContaining('Another command is changing') })
  expect(read(state('identity.json')).agentId).toBe(agentId)
})

it('[POL-1] folders that are allowed at the same instant are all in the policy', async () => {
  const folders = Array.from({ length: 5 }, (_, at) => path.join(home, `../${path.basename(home)}-work-${at}`))
  for (const folder of folders) mkdirSync(folder)
  const all = await Promise.all(folders.map((folder) => ended(run(['allow', folder]))))
  for (const folder of folders) rmSync(folder, { recursive: true })
  expect(all.filter(({ ok }) => !ok)).toEqual([])
  expect(read(path.join(home, 'config/policy.json')).roots.sort()).toEqual(
    folders.map((one) => path.resolve(one)).sort(),
  )
})

const otherPlaces: Array<[string, Sort, string]> = [
  ['daemon.lock', 'pipe', 'a named pipe and no ordinary file'],
  ['daemon.lock-journal', 'pipe', 'a named pipe and no ordinary file'],
  ['identity.json', 'link', 'a link and no ordinary file'],
  ['chain', 'pipe', 'a named pipe and no ordinary file'],
  ['digest.key', 'pipe', 'a named pipe and no ordinary file'],
  ['verbs.log', 'link', 'a link and no ordinary file'],
]
it.each<[string, Sort, string]>([
  ['daemon.lock', 'link', 'a link and no ordinary file'],
  ['daemon.lock', 'hard link', 'a file that has another name, and no lock'],
  ['identity.json', 'pipe', 'a named pipe and no ordinary file'],
  ['.probe', 'folder', 'a folder'],
  ...(wholeMatrix ? otherPlaces : []),
])(
  '[STORE-5.20] in the place of %s a %s ends the start with one sentence, and what it leads to stays',
  async (name, sort, what) => {
    const precious = preciousThings()
    const aside = path.join(precious.folder, 'aside')
    if (existsSync(state(name))) renameSync(state(name), aside)
    putInTheWay(state(name), sort, precious.file)
    const { ok, text } = await ended(up())
    rmSync(state(name), { recursive: true })
    if (existsSync(aside)) renameSync(aside, state(name))
    expect([ok, text.trim().split('\n').at(-1)]).toEqual([
      false,
      `roundhouse-agent: ${state(name)} is ${what}: move it away. [STATE_UNWRITABLE]`,
    ])
    expect(readFileSync(precious.file, 'utf8')).toBe(precious.text)
    rmSync(precious.folder, { recursive: true })
  },
)

it("[STORE-3] [STORE-5.22] in the place of what it can make anew a pipe or a link is nobody's trouble", async () => {
  const precious = preciousThings()
  for (const sort of ['pipe', 'link'] as const) {
    for (const name of ['index.db', 'index.db-journal', 'index.db-wal', 'daemon.json'])
      putInTheWay(state(name), sort, precious.file)
    const daemon = up()
    await until('it to be up or to end', () => /connected to/.test(daemon.output) || !daemon.alive)
    expect(daemon.alive, daemon.output).toBe(true)
    await daemon.end('SIGTERM')
  }
  expect(readFileSync(precious.file, 'utf8')).toBe(precious.text)
  rmSync(precious.folder, { recursive: true })
})

it('[POL-1] [STORE-5.23] a policy that its owner linked is read; a pipe in its place allows nothing and stops nothing', async () => {
  const policy = path.join(home, 'config/policy.json')
  const elsewhere = path.join(home, 'my-policy.json')
  renameSync(policy, elsewhere)
  symlinkSync(elsewhere, policy)
  const linked = await ended(run(['policy']))
  expect(linked.text).toContain(read(elsewhere).roots[0])
  expect(linked.text).not.toContain('UNREADABLE')
  const before = readFileSync(elsewhere, 'utf8')
  const work = path.join(home, '..', `${path.basename(home)}-linked`)
  mkdirSync(work)
  expect(await ended(run(['allow', work]))).toMatchObject({ ok: true })
  expect([read(policy).roots.includes(work), readFileSync(elsewhere, 'utf8')]).toEqual([true, before])
  rmSync(work, { recursive: true })
  putInTheWay(policy, 'pipe')
  expect(await ended(run(['policy']))).toEqual({ ok: false, text: expect.stringContaining('is a named pipe') })
  const daemon = up()
  await until('it to be up or to end', () => /connected to/.test(daemon.output) || !daemon.alive)
  expect(daemon.alive, daemon.output).toBe(true)
  await daemon.end('SIGTERM')
  renameSync(elsewhere, policy)
})

it('[STORE-5.23] a home that is a link is a home', async () => {
  const link = `${home}-link`
  symlinkSync(home, link)
  const daemon = run(['up', '--allow-root'], { ROUNDHOUSE_AGENT_HOME: link })
  await until('it to be up or to end', () => /connected to/.test(daemon.output) || !daemon.alive)
  rmSync(link)
  expect(daemon.alive, daemon.output).toBe(true)
  await daemon.end('SIGTERM')
})

/** `roundhouse-agent subscribe` and `publish message` against the built hub, which is killed under them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { ApiTokenScope, BusMessage } from '@roundhouse/backend-types'
import { afterEach, expect, it } from 'vitest'
import { repoRoot } from '../support/common/paths'
import { until } from '../support/common/until'
import { owner } from '../support/processes/hub-process'
import { wholeMatrix } from '../support/rigs/whole-matrix'
import { hubOfFile } from '../support/wire/hub-of-file'

const own = hubOfFile('bus-command-line')
const { hub, folder } = own
const program = path.join(repoRoot, 'apps/agent/dist/main.js')
const started: ChildProcess[] = []
afterEach(async () => {
  for (const child of started.splice(0)) if (child.exitCode === null) child.kill('SIGKILL')
})

interface Token {
  tokenId: string
  peerId: string
  token: string
}

async function makeToken(...scopes: ApiTokenScope[]): Promise<Token> {
  const { rest, close } = await hub.client()
  const made = await rest.makeToken({ name: scopes.join(' '), scopes, ttlDays: 1, password: owner.password })
  close()
  return { ...made, peerId: `p_${made.tokenId}` }
}

/** The command as a shell would start it: the token in the environment, or in a file where `file` says so. */
class Command {
  out = ''
  err = ''
  readonly child: ChildProcess
  readonly ended: Promise<number | null>

  constructor(args: string[], { token }: Token, { input = '', file = false } = {}) {
    const tokenFile = path.join(folder, `token-${started.length}`)
    if (file) writeFileSync(tokenFile, `${token}\n`)
    const env = { PATH: process.env.PATH, HOME: folder, ROUNDHOUSE_HUB: hub.url }
    this.child = spawn(process.execPath, [program, ...args, ...(file ? ['--token-file', tokenFile] : [])], {
      env: file ? env : { ...env, ROUNDHOUSE_TOKEN: token },
      stdio: 'pipe',
    })
    started.push(this.child)
    this.child.stdin?.end(input)
    this.child.stdout?.on('data', (piece) => {
      this.out += piece
    })
    this.child.stderr?.on('data', (piece) => {
      this.err += piece
    })
    this.ended = once(this.child, 'close').then(([code]) => code)
  }

  get messages(): BusMessage[] {
    return this.out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  }
}

const line = ({ peerId }: Token, message: string) =>
  JSON.stringify({
    topic: `worker.${peerId}.event`,
    schema: 'worker-event-v1',
    data: { kind: 'LOG', severity: 'info', message },
  })
const heard = (command: Command) => command.messages.flatMap(({ data }) => (data.message ? [data.message] : []))

it('[BUS-11.1] [BUS-11.3] the hub is killed under both, again and again: each message is published once and printed once, in order', async () => {
  const [worker, boss] = [await makeToken('worker'), await makeToken('orchestrator')]
  const before = new Command(['publish', 'message', line(worker, 'before it listens')], worker)
  expect([await before.ended, before.err]).toEqual([0, ''])
  const listener = new Command(['subscribe', `worker.${worker.peerId}.*`, '--after', '0'], boss, { file: true })
  await until('what was there', () => heard(listener).length === 1)
  const said = ['before it listens']
  for (let round = 0; round < (wholeMatrix ? 4 : 2); round += 1) {
    const texts = Array.from({ length: 30 }, (_, i) => `line ${round}.${i}`)
    said.push(...texts)
    const dies = hub.kill()
    const input = texts.map((text) => line(worker, text)).join('\n')
    const publisher = new Command(['publish', 'message'], worker, { input })
    await dies
    await hub.start()
    expect([await publisher.ended, publisher.err]).toEqual([0, ''])
    const results = publisher.out
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
    expect(results.map(({ ok, duplicate }) => [ok, duplicate])).toEqual(texts.map(() => [true, false]))
  }
  await until('all of them', () => heard(listener).length >= said.length)
  expect(heard(listener)).toEqual(said)
  const offsets = listener.messages.map(({ offset }) => offset)
  expect(offsets).toEqual([...new Set(offsets)].sort((a, b) => a - b))

  // A second one, from where the tenth was.
  const later = new Command(['subscribe', `worker.${worker.peerId}.*`, '--after', String(offsets[9])], boss)
  await until('the rest', () => heard(later).length >= said.length - 10)
  expect(later.messages).toEqual(listener.messages.slice(10))
  for (const command of [listener, later]) command.child.kill('SIGTERM')
  expect([await listener.ended, await later.ended]).toEqual([0, 0])
})

it('[BUS-11.2] ends at a signal as a peer that left, and when nobody reads its output', async () => {
  const [worker, boss] = [await makeToken('worker'), await makeToken('orchestrator')]
  const watching = new Command(['subscribe', 'system.peer.*'], boss)
  const publish = async () => {
    const one = new Command(['publish', 'message', line(worker, 'x'.repeat(1_000))], worker)
    expect(await one.ended).toBe(0)
  }
  const closed = new Command(['subscribe', '**', '--after', '0'], worker)
  await until('it to listen', () => closed.out !== '')
  closed.child.stdout?.destroy()
  await publish()
  expect([await closed.ended, closed.err]).toEqual([0, ''])

  const asked = new Command(['subscribe', '**', '--name', 'watcher', '--after', '0'], worker)
  await until('it to listen', () => asked.out !== '')
  asked.child.kill('SIGTERM')
  expect([await asked.ended, asked.err]).toEqual([0, ''])
  const left = () =>
    watching.messages.filter(({ topic, data }) => topic === 'system.peer.left' && data.peerId === worker.peerId)
  await until('both to have left', () => left().length >= 2)
  expect(new Set(left().map(({ data }) => data.reason))).toEqual(new Set(['clean']))
})

it('[BUS-11.2] a token that is taken back ends it with a code; a wrong word on the command line starts nothing', async () => {
  const boss = await makeToken('orchestrator')
  const listener = new Command(['subscribe', '--after', '0'], boss)
  await until('it to listen', () => listener.out !== '')
  const { rest, close } = await hub.client()
  await rest.removeToken(boss.tokenId)
  close()
  expect(await listener.ended).toBe(5)
  expect(listener.err).toContain('[AUTH_REQUIRED]')
  const refused = new Command(['publish', 'message', '{}'], boss)
  expect([await refused.ended, refused.out]).toEqual([5, ''])
  const ends = async (...args: string[]) => {
    const command = new Command(args, boss)
    return [await command.ended, command.err.match(/\[([A-Z_]+)\]\n$/)?.[1]]
  }
  expect(await ends('subscribe', '***')).toEqual([2, 'INVALID_ARGUMENT'])
  expect(await ends('subscribe', '--after', '-1')).toEqual([2, 'INVALID_ARGUMENT'])
  expect(await ends('subscribe', '--hub', 'http://hub.example.org')).toEqual([2, 'INVALID_ARGUMENT'])
  expect(await ends('publish', 'message', 'not json')).toEqual([2, 'INVALID_ARGUMENT'])
})

it('[BUS-11.3] what the hub refuses is a line of its own, and the exit code says so', async () => {
  const worker = await makeToken('worker')
  const input = `${line(worker, 'good')}\n${JSON.stringify({ topic: 'system.peer.left', schema: 'x-v1', data: {} })}\n`
  const command = new Command(['publish', 'message'], worker, { input })
  expect(await command.ended).toBe(1)
  const [good, bad] = command.out
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
  expect(good).toMatchObject({ ok: true, duplicate: false })
  expect(bad).toMatchObject({ ok: false, error: { code: 'SCHEMA_UNKNOWN' } })
})

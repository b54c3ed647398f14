import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { FakeAgent } from '../../testing/fake-agent'
import { liveSession, requested, resolved, text } from '../../testing/scenario'
import { ana, TestHub } from '../../testing/test-hub'

let hub: TestHub
let agent: FakeAgent
let sessionId: string
let db: Database.Database

beforeEach(async () => {
  hub = await TestHub.start()
  agent = await hub.connectedAgent()
  sessionId = await liveSession(hub, agent)
  db = new Database(hub.store.file, { timeout: 5_000 })
})
afterEach(async () => {
  db.close()
  await hub.stop()
})

/** From here on the database itself notes what is written, table by table, within the transaction that writes it. */
function watchWrites(): () => string[] {
  const tables = db
    .prepare<[], string>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .pluck()
    .all()
  db.exec('CREATE TABLE written (what TEXT)')
  for (const table of tables) {
    for (const what of ['INSERT', 'UPDATE', 'DELETE']) {
      db.exec(
        `CREATE TRIGGER "watch_${table}_${what}" AFTER ${what} ON "${table}" BEGIN INSERT INTO written VALUES ('${what} ${table}'); END`,
      )
    }
  }
  const all = db.prepare<[], string>('SELECT what FROM written ORDER BY rowid').pluck()
  let seen = 0
  return () => {
    const since = all.all().slice(seen)
    seen += since.length
    return [...new Set(withoutFollowers(since))].sort()
  }
}

const isOfFollower = (what: string) => /(Bus\w+|Follower)$/.test(what)

/** A follower writes in transactions of its own, before or behind an ack: what it wrote within one stays. */
function withoutFollowers(written: string[]): string[] {
  const first = written.findIndex((what) => !isOfFollower(what))
  const last = written.findLastIndex((what) => !isOfFollower(what))
  return written.slice(first, last + 1)
}

const stateOf = async (commandId: string) =>
  (await hub.store.prisma.command.findUnique({ where: { commandId } }))?.state

async function acceptedPrompt(promptId: string): Promise<string> {
  const { commandId } = await hub.core.sessions.prompt(ana, sessionId, { promptId, text: 'do it' }, hub.key())
  await vi.waitFor(async () => expect(await stateOf(commandId)).toBe('accepted'))
  return commandId
}

it('[STORE-2.1] the transaction of an ack writes events and their position, their session, requests, the commands they settle and what those bear out, nothing else', async () => {
  const commandId = await acceptedPrompt('p1')
  await acceptedPrompt('p2')
  const written = watchWrites()
  await agent.emit(sessionId, text('one'))
  expect(written()).toEqual(['INSERT Append', 'INSERT Event', 'UPDATE Session'])
  await agent.emit(
    sessionId,
    { kind: 'user_message', promptId: 'p1', text: 'do it', commandId },
    requested('r1'),
    requested('r2'),
    resolved('r1', 'withdrawn'),
  )
  expect(written()).toEqual([
    'INSERT Append',
    'INSERT Deed',
    'INSERT Event',
    'INSERT Request',
    'UPDATE Command',
    'UPDATE Request',
    'UPDATE Session',
  ])
  const states = await hub.store.prisma.command.findMany({ where: { kind: 'prompt.send' }, orderBy: { cmdSeq: 'asc' } })
  expect(states.map((command) => command.state === 'done')).toEqual([true, false])
})

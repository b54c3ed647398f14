/** What people leave beside a session's folder: copies of it, under any name. */
import { cpSync, readFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { parseEventBody, type SessionEvent } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AgentBench } from '../../testing/agent-bench'
import { FakeHub } from '../../testing/fake-hub'
import { sessionName } from '../../testing/session-name'
import type { Daemon } from '../daemon'

const s1 = sessionName('s1')

let hub: FakeHub
let bench: AgentBench
let daemon: Daemon
beforeEach(async () => {
  hub = new FakeHub()
  await hub.start()
  bench = new AgentBench(hub)
  await start()
})
afterEach(async () => {
  await daemon.endSessions(5_000)
  await hub.stop()
  await bench.dispose()
})

async function start(): Promise<void> {
  const before = hub.hellos.length
  daemon = await bench.daemon()
  await hub.until(() => hub.hellos.length > before && hub.ready)
}
const eventsOf = (sessionId: string) =>
  (hub.sessions.get(sessionId) ?? []).flatMap(({ body }) => (parseEventBody(body) as SessionEvent | null) ?? [])
const has = (sessionId: string, kind: SessionEvent['kind']) =>
  hub.until(() => eventsOf(sessionId).some((event) => event.kind === kind))
const folderOf = (name: string) => path.join(bench.home.sessions, name)

async function asks(sessionId: string): Promise<void> {
  const write = { tool: 'Write', input: { file_path: 'made.txt', content: 'x' } }
  await hub.command(bench.create(sessionId, script([write, { text: 'Done.' }])))
  await has(sessionId, 'permission_requested')
}

async function allow(sessionId: string): Promise<void> {
  const asked = eventsOf(sessionId).find((event) => event.kind === 'permission_requested')
  if (asked?.kind !== 'permission_requested') throw new Error('nothing was asked')
  const { requestId, procId, digest } = asked.ask
  const decide = { kind: 'permission.decide', requestId, procId, digest, decision: 'allow' } as const
  await hub.command(bench.command(sessionId, decide, false))
  await has(sessionId, 'turn_completed')
  expect(readFileSync(path.join(bench.workDir, 'made.txt'), 'utf8')).toBe('x')
}

describe('a copy of the folder of a session that runs', () => {
  it('[REB-4.22] [REB-4.25] [RES-6] is no session and leads to no host of another, under whatever name: that one asks on', async () => {
    await asks(s1)
    await daemon.leave()
    const names = [`${s1}.bak`, `${s1}~`, `${s1} copy`, `${s1}-old`] // the last could be the name of a session
    for (const name of names) cpSync(folderOf(s1), folderOf(name), { recursive: true })
    await start()
    expect(daemon.liveSessions()).toEqual([s1])
    const reported = hub.reports.flat() as unknown as Array<{ sessionId: string }>
    for (const name of names) expect(reported.map(({ sessionId }) => sessionId)).not.toContain(name)
    await allow(s1)
  })
})

describe('the log of one session in the folder of another', () => {
  it('[REB-4.24] is set aside: each goes on as a new log behind what the hub has, and tells nothing of the other', async () => {
    const s2 = sessionName('s2')
    const names = [s1, s2]
    for (const name of names) {
      await hub.command(bench.create(name, script([{ text: `of ${name}` }])))
      await has(name, 'turn_completed')
    }
    await hub.command(bench.prompt(s2, script([{ text: 'Longer.' }])))
    await hub.until(() => textsOf(s2).includes('Longer.'))
    const told = new Map(names.map((name) => [name, textsOf(name)]))
    await daemon.endSessions(5_000)
    const [one = '', two = ''] = names.map((name) => path.join(folderOf(name), 'log.db'))
    renameSync(one, `${one}.away`)
    renameSync(two, one)
    renameSync(`${one}.away`, two)
    await start()
    for (const name of names) {
      await has(name, 'gap')
      await hub.command(bench.prompt(name, script([{ text: 'Back.' }])))
      await hub.until(() => textsOf(name).includes('Back.'))
      expect(textsOf(name)).toEqual([...(told.get(name) ?? []), 'Back.'])
    }
  })
})

const textsOf = (sessionId: string) =>
  eventsOf(sessionId).flatMap((event) => (event.kind === 'assistant_text' ? [event.text] : []))

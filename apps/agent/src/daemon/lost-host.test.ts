/** Hosts that live and are not found at once: their sockets were removed, or they are frozen. */
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { parseEventBody, type SessionEvent } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HostRecord } from '../host-contract/launch-spec'
import { sessionFiles } from '../host-contract/paths'
import { AgentBench } from '../testing/agent-bench'
import { FakeHub } from '../testing/fake-hub'
import { sessionName } from '../testing/session-name'
import type { Daemon } from './daemon'

const [s1, s2] = [sessionName('s1'), sessionName('s2')]

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
const restart = async () => {
  await daemon.leave()
  await start()
}
const eventsOf = (sessionId: string) =>
  (hub.sessions.get(sessionId) ?? []).flatMap(({ body }) => (parseEventBody(body) as SessionEvent | null) ?? [])
const has = (sessionId: string, kind: SessionEvent['kind']) =>
  hub.until(() => eventsOf(sessionId).some((event) => event.kind === kind))
const recordOf = (sessionId: string) =>
  HostRecord.parse(JSON.parse(readFileSync(sessionFiles(path.join(bench.home.sessions, sessionId)).host, 'utf8')))
const asking = (file: string) =>
  script([{ tool: 'Write', input: { file_path: file, content: 'x' } }, { text: 'Done.' }])
const stop = (sessionId: string) => hub.command(bench.command(sessionId, { kind: 'session.stop' }, false))

async function asks(sessionId: string): Promise<void> {
  await hub.command(bench.create(sessionId, asking(`${sessionId}.txt`)))
  await has(sessionId, 'permission_requested')
}

async function allow(sessionId: string): Promise<void> {
  const asked = eventsOf(sessionId).find((event) => event.kind === 'permission_requested')
  if (asked?.kind !== 'permission_requested') throw new Error('nothing was asked')
  const { requestId, procId, digest } = asked.ask
  const decide = { kind: 'permission.decide', requestId, procId, digest, decision: 'allow' } as const
  await hub.command(bench.command(sessionId, decide, false))
  await has(sessionId, 'turn_completed')
  expect(readFileSync(path.join(bench.workDir, `${sessionId}.txt`), 'utf8')).toBe('x')
}

describe('[RES-1] [PERM-3] hosts whose sockets were removed', () => {
  it('are found by the next daemon, with their folder gone too: an answer is carried out, a stop stops', async () => {
    await asks(s1)
    await asks(s2)
    rmSync(path.dirname(recordOf(s1).sock), { recursive: true })
    await restart()
    await allow(s1)
    expect(await stop(s2)).toMatchObject({ answer: { state: 'accepted' } })
    await has(s2, 'session_ended')
  })
})

describe('[LOG-7] [RES-6] a host that is frozen', () => {
  it.each([
    ['under its daemon', async () => {}],
    ['when its daemon was restarted', restart],
  ])('%s is ended by a stop, and its turn is closed', async (_when, meanwhile) => {
    await hub.command(bench.create(s1, script([{ text: 'It never ends ', hang: true }])))
    await has(s1, 'session_started')
    process.kill(recordOf(s1).pid, 'SIGSTOP')
    await meanwhile()
    const asked = stop(s1).catch(() => {}) // where it takes long, the answer is told as news
    await has(s1, 'session_ended')
    await asked
    expect(eventsOf(s1)).toContainEqual(expect.objectContaining({ subtype: 'output_lost' }))
    expect(eventsOf(s1).filter(({ kind }) => kind === 'turn_completed')).toMatchObject([
      { reason: expect.stringMatching(/^(process_exited|outcome_unknown)$/) },
    ])
  })
})

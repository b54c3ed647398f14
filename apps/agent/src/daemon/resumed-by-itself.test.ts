/** RES-3 where not the program dies but its host, or all of the machine. */
import { readFileSync } from 'node:fs'
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

const [wants, other] = [sessionName('s1'), sessionName('s2')]

let hub: FakeHub
let bench: AgentBench
let daemon: Daemon
beforeEach(async () => {
  hub = new FakeHub()
  await hub.start()
  bench = new AgentBench(hub)
  daemon = await bench.daemon()
  await hub.until(() => hub.ready)
})
afterEach(async () => {
  await daemon.endSessions(5_000)
  await hub.stop()
  await bench.dispose()
})

const eventsOf = (sessionId: string) =>
  (hub.sessions.get(sessionId) ?? []).flatMap(({ body }) => (parseEventBody(body) as SessionEvent | null) ?? [])
const kindsOf = (sessionId: string) => eventsOf(sessionId).map(({ kind }) => kind)
const count = (sessionId: string, kind: SessionEvent['kind']) => kindsOf(sessionId).filter((one) => one === kind).length
const kill = (sessionId: string) => {
  const record = readFileSync(sessionFiles(path.join(bench.home.sessions, sessionId)).host, 'utf8')
  process.kill(HostRecord.parse(JSON.parse(record)).pid, 'SIGKILL')
}

async function asks(sessionId: string, autoResume: boolean): Promise<void> {
  hub.sessions.set(sessionId, [])
  const text = script([{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }, { text: 'Done.' }])
  const settings = { backend: 'scripted', workDir: bench.workDir, ...(autoResume ? { autoResume } : {}) }
  const body = { kind: 'session.create', settings, prompt: { promptId: `p-${sessionId}`, text } } as const
  await hub.command(bench.command(sessionId, body))
  await hub.until(() => count(sessionId, 'permission_requested') === 1)
}

describe('[RES-3] a session that goes on by itself after a crash', () => {
  it('is resumed when its host is killed; one that does not want it waits for a person', async () => {
    await asks(other, false)
    kill(other)
    await hub.until(() => count(other, 'turn_completed') === 1)
    await asks(wants, true)
    kill(wants)
    await hub.until(() => count(wants, 'session_started') === 2)
    expect(eventsOf(wants).at(-1)).toMatchObject({ kind: 'session_started', resumed: true })
    expect(count(wants, 'turn_completed')).toBe(1)
    expect(count(other, 'session_started')).toBe(1)
  })

  it('is resumed by the next daemon when all of the machine died', async () => {
    await asks(wants, true)
    await daemon.leave()
    kill(wants)
    daemon = await bench.daemon()
    await hub.until(() => count(wants, 'session_started') === 2)
    expect(count(wants, 'turn_completed')).toBe(1)
  })
})

import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AgentBench } from '../testing/agent-bench'
import { FakeHub } from '../testing/fake-hub'
import { sessionName } from '../testing/session-name'
import type { Daemon } from './daemon'

const s1 = sessionName('s1')

let hub: FakeHub
let bench: AgentBench
let daemon: Daemon

beforeEach(async () => {
  hub = new FakeHub()
  await hub.start()
  bench = new AgentBench(hub)
})
afterEach(async () => {
  await daemon.endSessions(5_000)
  await hub.stop()
  await bench.dispose()
})

/** What a terminal does, a while ago. */
function goOn(folder: string, prompt: string, answer: string): void {
  const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.json'))
  const file = path.join(folder, name)
  const conversation = JSON.parse(readFileSync(file, 'utf8')) as { turns: unknown[] }
  conversation.turns.push({ prompt, steered: [], outputs: [{ kind: 'assistant_text', text: answer }] })
  writeFileSync(file, JSON.stringify(conversation))
  utimesSync(file, new Date(), new Date(Date.now() - 60_000))
}

const at = (sessionId: string, kind: string) =>
  (hub.sessions.get(sessionId) ?? []).filter((event) => event.kind === kind)

describe('[RES-9] [LOG-1] a session at rest whose conversation goes on in a terminal', () => {
  it('has those turns at the hub, written by a host that starts no program, and sleeps on', async () => {
    const folder = path.join(bench.root, '.roundhouse-scripted')
    daemon = await bench.daemon({ idleMs: 300, env: { ...process.env, XDG_RUNTIME_DIR: undefined, HOME: bench.root } })
    await hub.until(() => hub.ready)
    await hub.command(bench.create(s1, script([{ text: 'Here.' }])))
    await hub.until(() => hub.states.some(({ status }) => JSON.stringify(status).includes('"why":"idle"')))
    await hub.until(() => daemon.liveSessions().length === 0)
    goOn(folder, 'There?', 'There.')
    await hub.until(() => at(s1, 'turn_completed').length === 2)
    expect(at(s1, 'assistant_text')).toHaveLength(2)
    expect(at(s1, 'session_started')).toHaveLength(1)
    expect(hub.states.at(-1)?.status).toEqual({ status: 'resumable', why: 'idle' })
  })
})

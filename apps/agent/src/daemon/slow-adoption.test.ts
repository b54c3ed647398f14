/** A daemon starts on what the one before it left, and one of these sessions takes long to be settled. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { HostRecord } from '../host-contract/launch-spec'
import { sessionFiles } from '../host-contract/paths'
import { AgentBench } from '../testing/agent-bench'
import { FakeHub } from '../testing/fake-hub'
import { sessionName } from '../testing/session-name'
import type { Daemon } from './daemon'

const [slow, other] = [sessionName('s1'), sessionName('s2')]

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

const has = (sessionId: string, kind: string) =>
  hub.until(() => (hub.sessions.get(sessionId) ?? []).some((event) => event.kind === kind))
const recordOf = (sessionId: string) =>
  HostRecord.parse(JSON.parse(readFileSync(sessionFiles(path.join(bench.home.sessions, sessionId)).host, 'utf8')))

it('[LINK-2] [RES-6] it is reported when it is settled, and keeps neither the machine nor another session away', async () => {
  const waits = script([{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }, { text: 'Done.' }])
  for (const sessionId of [slow, other]) {
    await hub.command(bench.create(sessionId, waits))
    await has(sessionId, 'permission_requested')
  }
  await daemon.leave()
  process.kill(recordOf(slow).pid, 'SIGKILL')
  const [hellos, reports] = [hub.hellos.length, hub.reports.length]
  // The next host of the session starts and says nothing.
  const silent = path.join(bench.root, 'silent-host.mjs')
  writeFileSync(silent, 'setInterval(() => {}, 1_000_000)')
  daemon = await bench.daemon({ hostEntry: silent })
  await hub.until(() => hub.hellos.length > hellos && hub.ready)
  expect(bench.lines.filter((line) => line.includes('could not be taken over'))).toEqual([])
  const told = hub.reports.slice(reports).flat()
  expect(told.map(({ sessionId }) => sessionId)).toEqual([other])

  await daemon.leave()
  daemon = await bench.daemon()
  await has(slow, 'turn_completed')
})

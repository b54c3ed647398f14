/** The agent's programs are taken away and put back while its daemon runs, as an update does. */
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AgentBench } from '../testing/agent-bench'
import { bundle } from '../testing/bundle'
import { FakeHub } from '../testing/fake-hub'
import { sessionName } from '../testing/session-name'
import { wholeMatrix } from '../testing/variation'
import type { Daemon } from './daemon'

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

it.each(wholeMatrix ? (['hostEntry', 'lookerEntry'] as const) : (['hostEntry'] as const))(
  '[FLOW-5.6] a session that begins while a program of the agent (%s) is missing waits for it, and is no failed one',
  async (missing) => {
    const whole = await bundle(missing === 'hostEntry' ? 'session-host/main.ts' : 'daemon/looks/look-main.ts')
    const entry = path.join(path.dirname(whole), `away-${missing}-${process.pid}.mjs`)
    copyFileSync(whole, entry)
    daemon = await bench.daemon({ [missing]: entry })
    await hub.until(() => hub.ready)
    const create = bench.create(sessionName('s1'), script([{ text: 'Done.' }]))
    renameSync(entry, `${entry}.away`)
    expect(await hub.command(create)).toMatchObject({ ok: false, error: { code: 'OUT_OF_RESOURCES' } })
    renameSync(`${entry}.away`, entry)
    expect(await hub.command(create)).toMatchObject({ answer: { state: 'accepted' } })
    await hub.until(() =>
      (hub.sessions.get(create.sessionId) ?? []).some(({ body }) => body.includes('turn_completed')),
    )
    rmSync(entry)
  },
)

/**
 * A hub that holds very much is killed in the middle of writing and is there again at once. ROUNDHOUSE_STORED chooses how
 * much it holds (1000000 for the figure in docs/reliability.md); only then the time counts, on a machine at rest.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { growLog } from '../support/accounts/long-log'
import { until } from '../support/common/until'
import { cpuMs, peakMib } from '../support/processes/process-cost'
import { type Rig, startRig } from '../support/rigs/rig'
import { absentMachine } from '../support/wire/absent-machine'

const STORED = Number(process.env.ROUNDHOUSE_STORED ?? 20_000)
const READY_MS = 3_000

const sinceMs = (begun: number) => Math.round(performance.now() - begun)

let rig: Rig
afterEach(() => rig.dispose())

describe(`a hub that holds ${STORED} events`, () => {
  it('[F1] [F2] [STORE-1] [I4] is killed while it writes, and is ready again with all of them', async () => {
    rig = await startRig()
    const { hub } = rig.system
    const small = await rig.begin([{ text: 'Ready.' }])
    await rig.agree(small)
    const agentId = await absentMachine(rig.system)
    await hub.kill()
    const long = growLog(hub.dataDir, small, { sessionId: 's_long', agentId, events: STORED })
    await hub.start()
    const starts: Array<{ ready: number; cpu: number; page: number }> = []
    const sessionId = await rig.begin([{ count: { to: 900, delayMs: 1 } }])
    for (const at of [200, 700]) {
      await until('the hub to be writing', async () => (await rig.rest.snapshot(sessionId, 1)).head >= at)
      await hub.kill()
      const begun = performance.now()
      await hub.start()
      const health = await fetch(`${hub.url}/api/v1/health`)
      const [ready, cpu] = [sinceMs(begun), cpuMs(hub.pid)]
      const page = await fetch(`${hub.url}/sessions/${long.sessionId}`, { headers: (await hub.login()).headers() })
      const { events, head } = await rig.rest.snapshot(long.sessionId, 200)
      starts.push({ ready, cpu, page: sinceMs(begun) })
      expect([health.status, page.status, head, events.length]).toEqual([200, 200, long.head, 200])
    }
    console.log(`${long.head} events; ms after the start: ${JSON.stringify(starts)}; peak ${peakMib(hub.pid)} MiB`)
    if (STORED >= 1_000_000) for (const { ready } of starts) expect(ready).toBeLessThan(READY_MS)
    await rig.agree(sessionId)
    const { events } = await rig.rest.events(long.sessionId, { after: long.head - 10, limit: 100 })
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 10 }, (_, n) => long.head - 9 + n))
  })
})

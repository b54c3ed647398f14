/**
 * A hub that was away and returns to a crowd of machines: they find it, come in by turns, and people are served meanwhile.
 * `ROUNDHOUSE_AGENTS=1000` prints how long that takes.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { cpuMs } from '../support/processes/process-cost'
import { hubOfFile } from '../support/wire/hub-of-file'
import { LightAgents } from '../support/wire/light-agents'

const AGENTS = Number(process.env.ROUNDHOUSE_AGENTS ?? 120)
const AWAY_MS = 2_000
const LONG_MS = 300_000

const { hub, web } = hubOfFile('returning')
let crowd: LightAgents
beforeAll(async () => {
  crowd = await LightAgents.join(web, (await hub.client()).rest, AGENTS)
}, LONG_MS)
afterAll(() => crowd.stop())

const all = () => until('all to be connected', () => crowd.online === AGENTS, LONG_MS)

describe('a hub with a crowd at its door', () => {
  it('[LINK-4.8] tells those who come all at once when their turn is, and takes them all', {
    timeout: LONG_MS,
  }, async () => {
    crowd.start()
    await all()
    expect(crowd.attempts.told).toBeGreaterThan(0)
  })

  it('[LINK-4.7] that was away is found by all who were connected before', { timeout: LONG_MS }, async () => {
    await hub.kill()
    await wait(AWAY_MS)
    crowd.forget()
    await hub.start()
    const began = { at: performance.now(), cpu: cpuMs(hub.pid) }
    const waits: number[] = []
    const asked = (async () => {
      while (crowd.online < AGENTS) {
        const since = performance.now()
        expect((await web.ask('/api/v1/health')).status).toBe(200)
        waits.push(performance.now() - since)
        await wait(20)
      }
    })()
    await Promise.all([all(), asked])
    if (process.env.ROUNDHOUSE_AGENTS) tell(began, waits)
  })
})

function tell(began: { at: number; cpu: number }, waits: number[]): void {
  const spread = (list: readonly number[], from: number) => {
    const sorted = list.map((ms) => Math.round(ms - from)).sort((a, b) => a - b)
    return [0.5, 0.9, 0.99, 1].map((part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))])
  }
  console.log('ms at p50, p90, p99 and at most', {
    'the hub answered': spread(crowd.foundAt, began.at),
    'connected again': spread(crowd.onlineAt, began.at),
    'health took': spread(waits, 0),
    attempts: crowd.attempts,
    'processor of the hub': cpuMs(hub.pid) - began.cpu,
  })
}

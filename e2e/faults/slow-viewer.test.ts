/**
 * Viewers behind a bad line, on real sockets: a proxy stands between them and the hub, and another way leads to it that
 * is clear. Who reads slowly is told so, slows nobody, costs the hub nothing, and ends with what everybody has.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { logOf, progressOf } from '../support/accounts/ledger'
import { openViewer, type Viewer } from '../support/accounts/viewer'
import { until } from '../support/common/until'
import { peakMib, residentMib } from '../support/processes/process-cost'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { TcpProxy } from '../support/wire/tcp-proxy'

const SLOW = { bytesPerSecond: 10_000, sliceBytes: 500 }
const MIB = 1_048_576

let rig: Rig<TcpProxy>
let viewers: Viewer[] = []
afterEach(async () => {
  for (const viewer of viewers) viewer.close()
  viewers = []
  await rig.dispose()
})

/** The agent has the clear lane; who comes through the proxy otherwise is a viewer. */
const laneOf = (first: Buffer) =>
  /x-roundhouse-agent|\/api\/v1\/agent\//i.test(first.toString('latin1')) ? 'agent' : 'viewer'

async function start(): Promise<void> {
  rig = await startRig({ front: (target) => TcpProxy.start(target, laneOf) })
}

async function watch(sessionId: string, url?: string): Promise<Viewer> {
  const viewer = await openViewer(rig.system.hub, sessionId, url)
  viewers.push(viewer)
  return viewer
}

/** Resolves when the turn is over on the machine. */
async function playAll(sessionId: string, steps: readonly object[]): Promise<void> {
  const before = logHead(sessionId)
  await rig.prompt(sessionId, steps)
  await until(
    'the turn to end',
    () => {
      const log = progressOf(rig.system.agent.sessionFolder(sessionId))
      return log.head > before + 3 && !log.inTurn
    },
    90_000,
  )
}

const logHead = (sessionId: string) => progressOf(rig.system.agent.sessionFolder(sessionId)).head

describe('a viewer at 10 KB/s', () => {
  it('[F14] [T86] [VIEW-4.1] [VIEW-4.3] [VIEW-6] [I9] is told that it lags, slows nobody, and ends complete and in order', async () => {
    await start()
    const { hub } = rig.system
    const sessionId = await rig.begin([{ text: 'Ready.' }])
    await rig.agree(sessionId)
    const [fast, slow] = [await watch(sessionId), await watch(sessionId, rig.front.url)]
    const { head } = await rig.rest.snapshot(sessionId, 1)
    await Promise.all([fast.reaches(head), slow.reaches(head)])
    rig.front.set('both', SLOW, 'viewer')
    const before = residentMib(hub.pid)

    await playAll(sessionId, [{ flood: { bytes: 20 * MIB, line: 8_000, as: 'text' } }])
    await fast.reaches(logHead(sessionId))
    await playAll(sessionId, [{ count: { to: 40, delayMs: 20, prefix: 'while it lags', stamp: true } }])
    await fast.reaches(logHead(sessionId))
    const waits = delaysOf(fast).sort((a, b) => a - b)
    const behind = logHead(sessionId) - (slow.shown().at(-1)?.seq ?? 0)
    console.log(
      `others saw a line after ${waits[20]} ms (median), ${waits.at(-1)} ms at most; the slow one was ${behind} events ` +
        `behind; hub ${before} MiB before, ${residentMib(hub.pid)} after, ${peakMib(hub.pid)} at most`,
    )
    expect(behind).toBeGreaterThan(500)
    expect(waits[Math.floor(waits.length * 0.95)]).toBeLessThan(1_000)
    expect(peakMib(hub.pid)).toBeLessThan(500)

    rig.front.set('both', {}, 'viewer')
    await slow.reaches(logHead(sessionId), 90_000)
    console.log(`the slow one: ${JSON.stringify(slow.setbacks())}`)
    // Where the line is so slow that a ping does not come through in time, it starts over instead.
    expect(slow.setbacks().lagged + slow.setbacks().resets).toBeGreaterThan(0)
    expect(fast.setbacks().resets).toBe(0)
    await sameAsLog(sessionId)
  })
})

describe('a tab that slept', () => {
  variation(
    '[T86] [VIEW-5] [VIEW-6] behind a dead line while thousands of events went by is complete and in order when it wakes',
    async () => {
      await start()
      const sessionId = await rig.begin([{ text: 'Ready.' }])
      await rig.agree(sessionId)
      const asleep = await watch(sessionId, rig.front.url)
      await asleep.reaches((await rig.rest.snapshot(sessionId, 1)).head)
      rig.front.set('both', { swallow: true }, 'viewer')
      await rig.prompt(sessionId, [{ count: { to: 6_000, delayMs: 0 } }])
      await rig.agree(sessionId)
      // As the hub sees it, the tab is gone; it comes back over a new connection.
      rig.front.heal()
      await asleep.reaches(logHead(sessionId), 90_000)
      expect(asleep.setbacks().resets).toBe(1)
      const shown = asleep.shown().map(({ seq }) => seq)
      expect(shown).toEqual(shown.map((_, n) => logHead(sessionId) - shown.length + 1 + n))
    },
  )
})

/** From the program's print to the viewer, in milliseconds: both have one clock. */
function delaysOf(viewer: Viewer): number[] {
  return viewer.arrivals().flatMap(({ event, at }) => {
    const text = event?.kind === 'assistant_text' && typeof event.text === 'string' ? event.text : ''
    const printed = / @(\d+\.?\d*)$/.exec(text)?.[1]
    return printed ? [Math.round(at - Number(printed))] : []
  })
}

async function sameAsLog(sessionId: string): Promise<void> {
  const log = logOf(rig.system.agent.sessionFolder(sessionId))
  for (const viewer of viewers) {
    const shown = viewer.shown().map(({ seq, event }) => [seq, event?.kind])
    const first = viewer.shown()[0]?.seq ?? 0
    expect(shown).toEqual(log.filter(({ seq }) => seq >= first).map(({ seq, body }) => [seq, JSON.parse(body).kind]))
  }
  await rig.agree(sessionId)
}

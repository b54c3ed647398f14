// The bus under load: many peers at once, one of them above its limit, and as many messages as the hub takes.
import { Crowd, messageOf, tokensOf } from '../lib/bus-crowd.mjs'
import { startBusLoad } from '../lib/bus-load.mjs'
import { BusProgram } from '../lib/bus-program.mjs'
import { loadAverage, meter } from '../lib/machine.mjs'
import { percentiles, round, waitFor } from '../lib/util.mjs'
import { burstOf, measure } from './stream.mjs'
import { openSessions, pace } from './support.mjs'

const WARM_UP_S = 2
/** A message on its way for longer is counted as missing, and what is still on its way at the end is waited for. */
const LATE_MS = 20_000
const END_MS = 180_000

/** The same load twice: by itself, and beside a peer that sends ten times what it may. */
export async function bus(target, { peers = 50, rate = 50, seconds = 60, flood = 5_000 } = {}, { dir }) {
  await target.start(dir)
  const boss = await target.makeToken('orchestrator', 'orchestrator')
  const crowd = await Crowd.enter(target.port, await tokensOf(target, peers), boss)
  await pace(rate, WARM_UP_S, crowd.senders())
  const calm = await phase(target, crowd, rate, seconds)
  const flooder = await enterFlooder(target, flood)
  const beside = await phase(target, crowd, rate, seconds)
  const flooded = await flooder.stop()
  await waitFor(() => isSettled(crowd), END_MS, 'the last messages').catch(() => {})
  const stored = await verify(target, crowd)
  crowd.close()
  return { params: { peers, rate, seconds, flood }, calm, beside, flooded, stored }
}

const sum = (counts) => Object.values(counts).reduce((total, count) => total + count, 0)

const isSettled = (crowd) => crowd.answered === crowd.sent && crowd.heard === crowd.taken.size

/** Until everything that was sent is answered and heard. */
async function phase(target, crowd, rate, seconds) {
  crowd.fresh()
  const load = loadAverage()
  const refusedBefore = sum(crowd.refused)
  const used = meter(target.pid)
  const { total, seconds: took } = await pace(rate, seconds, crowd.senders())
  const drainedMs = performance.now()
  await waitFor(() => isSettled(crowd), LATE_MS, 'all messages').catch(() => {})
  const use = used()
  return {
    sent: total,
    rate: round(total / took),
    missing: crowd.sent - sum(crowd.refused) - crowd.heard,
    refused: sum(crowd.refused) - refusedBefore,
    latMs: percentiles(crowd.latencies),
    drainedMs: round(performance.now() - drainedMs),
    load,
    cpuMsPer1000: round((use.cpuS * 1e6) / total),
    ...use,
  }
}

/** Sends steadily above its limit in batches of 50, whatever it is answered. */
async function enterFlooder(target, rate) {
  const { token, tokenId } = await target.makeToken('flooder', 'worker')
  const program = new BusProgram(target.port, token)
  await program.enter()
  const peerId = `p_${tokenId}`
  const codes = {}
  const times = []
  let running = true
  let made = 0
  const batch = () => Array.from({ length: 50 }, () => messageOf(peerId, `f-${++made}`))
  const work = (async () => {
    const begun = performance.now()
    while (running) {
      // What is not answered yet is not piled up any further.
      while (program.waiting < 100 && made < ((performance.now() - begun) / 1000) * rate) {
        const at = performance.now()
        void program.publish(batch()).then((answers) => {
          times.push(performance.now() - at)
          for (const code of answers) codes[code] = (codes[code] ?? 0) + 1
        })
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return (performance.now() - begun) / 1000
  })()
  return {
    async stop() {
      running = false
      const seconds = await work
      await waitFor(() => program.waiting === 0, LATE_MS, 'answers to the flooder').catch(() => {})
      const unanswered = program.waiting
      program.close()
      return { sent: made, seconds: round(seconds), codes, unanswered, answerMs: percentiles(times), peerId }
    },
  }
}

/** What became of the messages that the hub said it stored: each once in its table and at its subscriber, and no hole between offsets. */
async function verify(target, crowd) {
  const times = new Map()
  const throttled = new Set()
  let [after, offsets, newest, oldest] = [0, 0, 0, 0]
  for (let isEnd = false; !isEnd; ) {
    const page = await target.get(`/events?after=${after}&limit=500`)
    for (const { id, offset, topic, data } of page.items) {
      oldest ||= offset
      newest = offset
      offsets += 1
      times.set(id, (times.get(id) ?? 0) + 1)
      if (topic === 'system.throttled') throttled.add(data.peerId)
    }
    after = page.next
    isEnd = page.isEnd
  }
  const taken = [...crowd.taken]
  return {
    sent: crowd.sent,
    taken: taken.length,
    lost: taken.filter((id) => !times.has(id)).length,
    storedTwice: taken.filter((id) => times.get(id) > 1).length,
    holes: newest - oldest + 1 - offsets,
    unheard: crowd.unheard(),
    heardTwice: crowd.heardTwice(),
    outOfOrder: crowd.outOfOrder,
    throttled: [...throttled],
  }
}

/** The highest rate at which the 95th percentile stays at `p95` and nothing is left over, in steps of a fifth. */
export async function busTop(target, { peers = 50, from = 50, seconds = 10, p95 = 100, steps = 12 } = {}, { dir }) {
  await target.start(dir)
  const boss = await target.makeToken('orchestrator', 'orchestrator')
  const crowd = await Crowd.enter(target.port, await tokensOf(target, peers), boss)
  await pace(from, WARM_UP_S, crowd.senders())
  const taken = []
  let best = null
  for (let step = 0, rate = from; step < steps; step++, rate *= 1.2) {
    const figures = await phase(target, crowd, rate, seconds)
    taken.push(figures)
    // Behind by more than a second after ten is no rate that lasts.
    const lasts = figures.latMs.p95 <= p95 && figures.missing === 0 && figures.drainedMs < 1_000
    if (!lasts) break
    best = figures
  }
  crowd.close()
  return { params: { peers, from, seconds, p95 }, best, last: taken.at(-1), steps: taken.length }
}

/** What P1 and P2 measure, on one hub: with nobody on the bus, and beside the load. */
export async function busIngest(target, { peers = 50, rate = 50, seconds = 10, count = 5_000 } = {}, { dir }) {
  await target.start(dir)
  const boss = await target.makeToken('orchestrator', 'orchestrator')
  const tokens = await tokensOf(target, peers)
  const ingest = async (label) => {
    const sids = await openSessions(target, 1, `paced ${label}`)
    const load = loadAverage()
    const { latMs, want, got } = await measure(target, { sids, watched: sids, rate: 50, seconds, bytes: 300 })
    const burst = await burstOf(target, { label: `burst ${label}`, count, bytes: 300, batch: 1 })
    return { latMs, missing: want - got, eventsPerS: burst.eventsPerS, burstMissing: count - burst.got, load }
  }
  const idle = await ingest('idle')
  const load = await startBusLoad({ port: target.port, tokens, boss, rate })
  const loaded = await ingest('loaded')
  return { params: { peers, rate, seconds, count }, idle, loaded, bus: await load.stop() }
}

// Events on their way from an agent to a viewer: paced, in a burst, from many agents, to many viewers.
import { meter } from '../lib/machine.mjs'
import { percentiles, round, sleep, waitFor } from '../lib/util.mjs'
import { openSessions, pace } from './support.mjs'

/** Numbers of events that are sent to warm up and not measured. */
const WARM_UP = 1e6

export async function paced(target, { rate = 50, seconds = 20, bytes = 300 } = {}, { dir }) {
  await target.start(dir)
  const sids = await openSessions(target, 1, 'paced')
  return { params: { rate, seconds, bytes }, ...(await measure(target, { sids, watched: sids, rate, seconds, bytes })) }
}

export async function fanin(target, { agents = 50, rate = 20, seconds = 20, bytes = 300, viewed = 5 } = {}, { dir }) {
  await target.start(dir)
  const sids = await openSessions(target, agents, 'fanin')
  const watched = sids.slice(0, viewed)
  const params = { agents, rate, seconds, bytes, viewed }
  return { params, ...(await measure(target, { sids, watched, rate, seconds, bytes })) }
}

export async function fanout(target, { viewers = 50, rate = 20, seconds = 20, bytes = 300 } = {}, { dir }) {
  await target.start(dir)
  const sids = await openSessions(target, 1, 'fanout')
  const watched = Array.from({ length: viewers }, () => sids[0])
  const params = { viewers, rate, seconds, bytes }
  return { params, ...(await measure(target, { sids, watched, rate, seconds, bytes })) }
}

/** An agent for each session, a viewer for each entry of `watched`. One clock: both ends are in this process. */
export async function measure(target, { sids, watched, rate, seconds, bytes }) {
  const agents = []
  for (const sid of sids) agents.push(await target.connectAgent(sid))
  const sentAt = new Map()
  const latencies = []
  const viewers = []
  for (const sid of watched) {
    viewers.push(
      await target.connectViewer([sid], (seenSid, n) => {
        const at = sentAt.get(seenSid + n)
        if (at !== undefined) latencies.push(performance.now() - at)
      }),
    )
  }
  const isWatched = new Set(watched)
  const senders = agents.map((agent, i) => (n) => {
    if (isWatched.has(sids[i])) sentAt.set(sids[i] + n, performance.now())
    target.emit(agent, [n], bytes)
  })
  const warmers = agents.map((agent) => (n) => target.emit(agent, [WARM_UP + n], bytes))
  await pace(rate, 2, warmers)
  await sleep(300)
  const used = meter(target.pid)
  const sent = await pace(rate, seconds, senders)
  const want = Math.round(rate * seconds) * watched.length
  await waitFor(() => latencies.length >= want, 15_000, 'all events').catch(() => {})
  const use = used()
  for (const end of [...viewers, ...agents]) end.close()
  return {
    latMs: percentiles(latencies),
    want,
    got: latencies.length,
    rate: round(sent.total / sent.seconds),
    cpuMsPer1000: round((use.cpuS * 1e6) / sent.total),
    ...use,
  }
}

/** Everything at once, in calls of `batch` events. */
export async function burst(target, { count = 5000, bytes = 300, batch = 1 } = {}, { dir }) {
  await target.start(dir)
  return { params: { count, bytes, batch }, ...(await burstOf(target, { label: 'burst', count, bytes, batch })) }
}

export async function burstOf(target, { label, count, bytes, batch }) {
  const [sid] = await openSessions(target, 1, label)
  const agent = await target.connectAgent(sid)
  let got = 0
  let last = 0
  let outOfOrder = 0
  const viewer = await target.connectViewer([sid], (_sid, n) => {
    if (n > count) return
    got++
    if (n !== last + 1) outOfOrder++
    last = n
  })
  await pace(200, 1, [(n) => target.emit(agent, [WARM_UP + n], bytes)])
  await sleep(500)
  const used = meter(target.pid)
  const begun = performance.now()
  for (let first = 1; first <= count; first += batch) {
    const numbers = Array.from({ length: Math.min(batch, count + 1 - first) }, (_, i) => first + i)
    target.emit(agent, numbers, bytes)
  }
  await waitFor(() => got >= count, 60_000, 'the end of the burst', 1).catch(() => {})
  const ms = performance.now() - begun
  const use = used()
  viewer.close()
  agent.close()
  const eventsPerS = Math.round((got / ms) * 1000)
  const cpuMsPer1000 = round((use.cpuS * 1e6) / count)
  return { got, outOfOrder, totalMs: round(ms), eventsPerS, cpuMsPer1000, ...use }
}

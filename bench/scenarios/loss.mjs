// What is lost when the hub is killed, or when the network drops everything silently.
import { blackHoleProxy } from '../lib/black-hole.mjs'
import { round, sleep, waitFor } from '../lib/util.mjs'
import { openSessions, sendSteadily, settled, verdict } from './support.mjs'

const BYTES = 300

/** Killed while it works off a burst. */
export async function backlog(target, { count = 5000, killAt = 0.3, down = 2 } = {}, { dir }) {
  const { sid, agent } = await begin(target, dir, 'backlog')
  for (let n = 1; n <= count; n++) target.emit(agent, [n], BYTES)
  await sleep(killAt * 1000)
  const backMs = await killAndRestart(target, agent, down, dir)
  return { params: { count, killAt, down }, reconnectMs: [backMs], ...(await judge(target, sid, agent, count)) }
}

/** Killed several times in a steady stream. */
export async function crash(target, { rate = 200, seconds = 10, kills = 2, down = 2 } = {}, { dir }) {
  const { sid, agent } = await begin(target, dir, 'crash')
  const stream = sendSteadily(target, agent, rate, BYTES)
  const pause = (seconds / (kills + 1)) * 1000
  const reconnectMs = []
  for (let kill = 0; kill < kills; kill++) {
    await sleep(pause + Math.random() * 200)
    reconnectMs.push(await killAndRestart(target, agent, down, dir))
  }
  await sleep(pause)
  const sent = await stream.stop()
  return { params: { rate, kills, down }, reconnectMs, ...(await judge(target, sid, agent, sent)) }
}

/** The network swallows bytes for `hole` seconds, no close is seen; then the connection breaks. The hub stays up. */
export async function netcut(target, { rate = 200, before = 3, hole = 5, after = 4 } = {}, { dir }) {
  await target.start(dir)
  const [sid] = await openSessions(target, 1, 'netcut')
  const proxy = await blackHoleProxy(target.port)
  const agent = await target.connectAgent(sid, { viaPort: proxy.port })
  await sleep(300)
  const stream = sendSteadily(target, agent, rate, BYTES)
  await sleep(before * 1000)
  proxy.cut()
  await sleep(hole * 1000)
  proxy.heal()
  await sleep(200)
  await waitFor(() => agent.connected, 30_000, 'the agent to be back')
  await sleep(after * 1000)
  const sent = await stream.stop()
  const found = await judge(target, sid, agent, sent)
  proxy.close()
  return { params: { rate, before, hole, after }, ...found }
}

async function begin(target, dir, label) {
  await target.start(dir)
  const [sid] = await openSessions(target, 1, label)
  const agent = await target.connectAgent(sid)
  await sleep(300)
  return { sid, agent }
}

/** Returns how long the agent took to be back once the hub was ready. */
async function killAndRestart(target, agent, down, dir) {
  await target.crash()
  await sleep(down * 1000)
  await target.start(dir)
  const ready = performance.now()
  await waitFor(() => agent.connected, 30_000, 'the agent to be back')
  return round(performance.now() - ready)
}

async function judge(target, sid, agent, sent) {
  await settled(target, sid, agent)
  const found = verdict(await target.transcript(sid), sent)
  agent.close()
  return { ...found, resent: agent.resent }
}

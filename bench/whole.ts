/**
 * The whole path on real processes: a hub, a joined agent, a session host and the scripted program. Prints one line of JSON:
 * how long a printed line takes to a browser's socket, and what the daemon and a host cost. Both ends have one clock.
 */
import { createHubClient, SessionWatch, signIn } from '@roundhouse/hub-client'
import { until } from '../e2e/support/common/until'
import { owner } from '../e2e/support/processes/hub-process'
import { type System, startSystem } from '../e2e/support/processes/system'
import { meter, pssMb, quiet, rssMb } from './lib/machine.mjs'
import { cores, pin } from './lib/pin.mjs'
import { percentiles, round, sleep } from './lib/util.mjs'

const WARM_UP = 100
const MEASURED = 500
const PACE_MS = 18
const IDLE_MS = 3_000
const DAEMON_WINDOW_MS = 10_000

interface Turn {
  latencies: number[]
  perSecond: number
  hostPid: number
  hostMb: number
  hostPssMb: number
}

async function measure(system: System): Promise<object> {
  pin(system.hub.pid, cores.server)
  const daemon = await idleDaemon(system.agent.pid)
  const turn = await streamedTurn(system)
  const left = await until('the host to leave', () => !isAlive(turn.hostPid), 10 * IDLE_MS).then(
    () => 0,
    () => 1,
  )
  const { latencies, perSecond, hostMb, hostPssMb } = turn
  return { latMs: percentiles(latencies), perSecond, ...daemon, hostMb, hostPssMb, hostsWhenIdle: left }
}

async function idleDaemon(pid: number) {
  await sleep(DAEMON_WINDOW_MS)
  const used = meter(pid)
  await sleep(DAEMON_WINDOW_MS)
  const { rssMb: daemonMb, cpuS, wallS } = used()
  return { daemonMb, daemonCpuPercent: round((cpuS / wallS) * 100) }
}

/** One turn that prints a stamped line about 50 times a second, watched as a page watches it. */
async function streamedTurn({ hub, agent, workDir }: System): Promise<Turn> {
  const client = createHubClient(await signIn(hub.url, owner.email, owner.password))
  const agentId = (await client.rest.agents()).items[0]?.agentId ?? ''
  const settings = { backend: 'scripted', workDir }
  const steps = [{ sleep: 2_000 }, { count: { to: WARM_UP + MEASURED, delayMs: PACE_MS, stamp: true } }]
  const prompt = `SCRIPT: ${JSON.stringify(steps)}`
  const { sessionId } = await client.rest.createSession({ agentId, settings, prompt })
  const seen: Array<{ printed: number; shown: number }> = []
  const note = (event: unknown) => {
    const stamp = / @(\d+\.?\d*)$/.exec((event as { text?: string } | null)?.text ?? '')
    if (stamp) seen.push({ printed: Number(stamp[1]), shown: performance.timeOrigin + performance.now() })
  }
  const watch = new SessionWatch(sessionId, client.rest, client.socket, {
    onReset: () => {},
    onEvents: (events) => {
      for (const { event } of events) note(event)
    },
    onSession: () => {},
    onBlocks: () => {},
    onRefused: (error) => {
      throw error
    },
  })
  await until('the turn to be half through', () => seen.length >= WARM_UP + MEASURED / 2, 60_000)
  const hostPid = agent.hostPid(sessionId) ?? 0
  const host = { hostPid, hostMb: rssMb(hostPid), hostPssMb: pssMb(hostPid) }
  await until('the end of the turn', () => seen.length >= WARM_UP + MEASURED, 60_000)
  watch.close()
  client.close()
  const measured = seen.slice(WARM_UP)
  const spanMs = (measured.at(-1)?.printed ?? 0) - (measured[0]?.printed ?? 0)
  return {
    ...host,
    latencies: measured.map(({ printed, shown }) => shown - printed),
    perSecond: round(((measured.length - 1) / spanMs) * 1000),
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

await quiet({ maxWait: 10_000 })
const system = await startSystem('scripted', { idleMs: IDLE_MS })
const result = await measure(system).catch((error: unknown) => ({ error: String(error) }))
await system.dispose()
console.log(JSON.stringify(result))
process.exit()

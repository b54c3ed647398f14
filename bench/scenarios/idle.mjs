// The cost of idle agents.
import { meter, rssMb } from '../lib/machine.mjs'
import { round, sleep } from '../lib/util.mjs'
import { openSessions } from './support.mjs'

/**
 * Half of the agents join, then the other half: the difference is what agents cost, free of the first one's warm-up. Then
 * `rest` seconds of nothing: a runtime gives back what the joining has used only when it finds the time.
 */
export async function idle(target, { agents: count = 200, settle = 10, rest = 90, seconds = 10 } = {}, { dir }) {
  await target.start(dir)
  await sleep(settle * 1000)
  const emptyMb = rssMb(target.pid)
  const agents = await join(target, count / 2, 'first')
  await sleep(settle * 1000)
  const halfMb = rssMb(target.pid)
  agents.push(...(await join(target, count / 2, 'second')))
  await sleep(settle * 1000)
  const joinedMb = rssMb(target.pid)
  await sleep(rest * 1000)
  const used = meter(target.pid)
  await sleep(seconds * 1000)
  const use = used()
  for (const agent of agents) agent.close()
  return {
    params: { agents: count, settle, rest, seconds },
    emptyMb,
    halfMb,
    joinedMb,
    restedMb: use.rssMb,
    perTenMb: round((joinedMb - halfMb) / (count / 20)),
    cpuPercent: round((use.cpuS / use.wallS) * 100),
    ...use,
  }
}

async function join(target, count, label) {
  const agents = []
  for (const sid of await openSessions(target, count, label)) agents.push(await target.connectAgent(sid))
  return agents
}

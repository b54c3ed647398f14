/**
 * npm run compat [-- COMMIT]: an upgrade from an earlier release to this checkout, on real processes. The earlier hub and
 * agents fill a data folder and two homes, beside an agent of this checkout; then this hub takes the folder, this agent one home with
 * its running hosts.
 * Everything that was started is ended by its id, also after a failure and after Ctrl-C.
 */
import { rmSync } from 'node:fs'
import { upgrade } from './after'
import { fillPast, type Machine, type Past } from './before'
import { OldClient } from './old-client'
import { Report } from './report'

const [checkout] = process.argv.slice(2)
if (checkout === undefined) throw new Error('usage: npm run compat [-- COMMIT]')

const client = new OldClient(checkout)
const started: Partial<Past> = {}
const report = new Report()
let ending: Promise<void> | null = null
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end().then(() => process.exit(130)))

await report.step(
  'The earlier release runs: a hub, people, two agents and one of this checkout, sessions in every state.',
  async () => {
    await fillPast(checkout, client, started)
  },
)
if (isWhole(started)) await upgrade(started, report)
await end()
process.exit(report.end())

function isWhole(past: Partial<Past>): past is Past {
  return past.sessions !== undefined
}

function end(): Promise<void> {
  ending ??= endAll()
  return ending
}

async function endAll(): Promise<void> {
  const machines = [started.bench, started.elder, started.early].filter((one) => one !== undefined)
  await Promise.allSettled([...machines.map(endMachine), client.close()])
  await started.hub?.stop()
  if (started.hub) rmSync(started.hub.dataDir, { recursive: true, force: true, maxRetries: 5 })
}

/** Its own `stop` first; what a host of another release does not understand ends by its id. */
async function endMachine({ process: agent, workDir }: Machine): Promise<void> {
  await agent.stop().catch((error: Error) => console.error(error.message))
  for (const sessionId of agent.sessionIds()) if (agent.hasHost(sessionId)) agent.killHost(sessionId)
  for (const folder of [agent.home, workDir]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

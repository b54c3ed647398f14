/**
 * npm run chaos -- [--minutes 10] [--seed 1] [--hard] [--keep]
 *
 * A hub, three agents, scripted programs and viewers under a seeded storm of faults. Every minute the sky clears for a
 * moment, and it is measured how long until hub and viewers hold what the agents hold. At the end every session says one
 * more thing, all accounts are compared, one table is printed, and anything lost, doubled or done twice is exit code 1.
 *
 * With `--hard` logs are damaged, a disk fills up and a crowd of sessions returns as well (hard.ts).
 *
 * The seed chooses faults and answers; what meets what is up to the machine, so a seed makes a run alike, not the same. With `--keep` a run that
 * failed leaves its processes and folders as they are, to be looked at.
 */
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { progressOf } from '../support/accounts/ledger'
import { freshFolder } from '../support/common/paths'
import { seeded } from '../support/common/random'
import { until } from '../support/common/until'
import { mustBeNought, reckon } from './accounts'
import { type Hardness, makeHard, makeSmallDisk } from './hard'
import { watchMemory } from './memory'
import { People } from './people'
import { Storm } from './storm'
import { startWorld, type World } from './world'

const CALM_EVERY_MS = 60_000
/** Nobody waits longer than this; what took longer is in the table as a miss. */
const PATIENCE_MS = 120_000

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    hard: { type: 'boolean' },
    keep: { type: 'boolean' },
  },
})
const [minutes, seed] = [Number(values.minutes), Number(values.seed)]
if (!(minutes > 0) || !Number.isInteger(seed)) {
  console.error('usage: npm run chaos -- [--minutes 10] [--seed 1] [--hard] [--keep]')
  process.exit(2)
}

const headOf = (world: World, index: number) => {
  const session = world.sessions[index] as World['sessions'][number]
  return progressOf(session.machine.process.sessionFolder(session.sessionId)).head
}

/** Milliseconds from the moment when all machines are connected until hub and viewers hold what the logs held then. */
async function converge(world: World): Promise<number> {
  await until(
    'all machines to be connected',
    async () => (await world.rest.agents()).items.every(({ online }) => online),
    PATIENCE_MS,
  )
  const begun = performance.now()
  const heads = world.sessions.map((_, index) => headOf(world, index))
  let behind = ''
  const areLevel = async () => {
    for (const [index, { sessionId, label }] of world.sessions.entries()) {
      const head = heads[index] ?? 0
      const atHub = (await world.rest.snapshot(sessionId, 1)).head
      const shown = world.viewers[index]?.head ?? 0
      behind = `${label}: log ${head}, hub ${atHub}, viewer ${shown}`
      if (atHub < head || shown < head) return false
    }
    return true
  }
  await until('hub and viewers to hold what the logs hold', areLevel, PATIENCE_MS).catch((error: Error) => {
    throw new Error(`${error.message} (${behind})`)
  })
  return Math.round(performance.now() - begun)
}

async function run(world: World, hard: Hardness | null) {
  const random = seeded(seed)
  const people = new People(world, seeded(seed + 1))
  const storm = new Storm(world, random, hard?.faults)
  const memory = watchMemory(world)
  const reconnected: number[] = []
  let deserted = 0
  const end = performance.now() + minutes * 60_000
  while (performance.now() < end) {
    await storm.rageUntil(Math.min(end, performance.now() + CALM_EVERY_MS))
    storm.calm()
    hard?.calm()
    deserted += launchDeserters(world)
    reconnected.push(await converge(world))
    console.log(
      `${Math.max(0, Math.round((end - performance.now()) / 1_000))} s left: ${storm.total} faults, caught up after ${reconnected.at(-1)} ms`,
    )
  }
  const lastFault = performance.now()
  await people.leave()
  await converge(world)
  const afterLastFault = Math.round(performance.now() - lastFault)
  for (const session of world.sessions) await people.prompt(session)
  await people.leave()
  await atRest(world)
  await converge(world)
  const more = (await hard?.reckon()) ?? []
  memory.stop()
  const account = await reckon(world, people.decided)
  return { storm, people, reconnected, afterLastFault, peaks: memory.peaks, account, deserted, more }
}

/** Daemons that are away though nobody killed them for good. They are started again, and counted. */
function launchDeserters(world: World): number {
  const away = world.machines.filter(({ process }) => !process.running)
  for (const { name, process } of away) {
    console.error(`the daemon of ${name} ended by itself:\n${process.output.split('\n').slice(-20).join('\n')}`)
    process.launch()
  }
  return away.length
}

async function atRest(world: World): Promise<void> {
  let restless = {}
  const quiet = async () => {
    for (const { sessionId, machine, label } of world.sessions) {
      const { session } = await world.rest.snapshot(sessionId, 1)
      for (const { ask, decision } of session.requests) {
        if (!decision) await world.rest.decide(ask.requestId, { decision: 'deny', digest: ask.digest }).catch(() => {})
      }
      const { inTurn } = progressOf(machine.process.sessionFolder(sessionId))
      const { turnId, queue, queueHeld, status, commands, requests } = session
      const waiting = commands.filter(({ state }) => state === 'pending' || state === 'sent' || state === 'accepted')
      restless = { label, sessionId, inTurn, turnId, queue, queueHeld, status, waiting, requests }
      if (inTurn || turnId !== undefined || queue.length > 0 || waiting.length > 0) return false
    }
    return true
  }
  await until('all sessions to be idle', quiet, PATIENCE_MS).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(restless)}`)
  })
}

function table({
  storm,
  people,
  reconnected,
  afterLastFault,
  peaks,
  account,
  deserted,
  more,
}: Awaited<ReturnType<typeof run>>): string {
  const faults = [...storm.struck].sort().map(([name, count]) => `${name} ${count}`)
  const rows: Array<[string, string | number, string]> = [
    ['blocks that the scripts printed', account.sent, ''],
    ['events stored', account.stored, ''],
    ['lost', account.lost, '0'],
    ['duplicated', account.doubled, '0'],
    ['sessions out of order', account.reordered, '0'],
    ['silent gaps, differences between log, hub and viewers', account.silentGaps, '0'],
    ['visible gaps', account.visibleGaps, '0'],
    ['prompts sent', people.prompts, ''],
    ['commands started twice', account.startedTwice, '0'],
    ['turns without an end', account.turnsWithoutEnd, '0'],
    ['permission requests', account.requests, ''],
    ['decisions made', people.decided.length, ''],
    ['decisions applied', account.applied, ''],
    ['decisions applied twice', account.appliedTwice, '0'],
    ['actions that ran without permission', account.wronglyApplied, '0'],
    ['daemons that ended by themselves', deserted, '0'],
    ...more.map(([name, seen, must]): [string, number, string] => [name, seen, String(must)]),
    ['longest time to catch up after a reconnect', `${Math.max(...reconnected)} ms`, '<= 15,000 ms'],
    ['time until everything is idle after the last fault', `${afterLastFault} ms`, '<= 60,000 ms'],
    ['peak memory: hub, daemon, host', `${peaks.hub}, ${peaks.daemon}, ${peaks.host} MB`, ''],
  ]
  const head = `${minutes} minutes, seed ${seed}, ${storm.total} faults (${faults.join(', ')}); Node ${process.versions.node}, ${os.cpus().length} cores`
  return [head, '', '| | | must be |', '| --- | --- | --- |', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n')
}

const isGood = ({ account, deserted, more }: Awaited<ReturnType<typeof run>>) =>
  mustBeNought.every((key) => account[key] === 0) && deserted === 0 && more.every(([, seen, must]) => seen === must)

const disk = values.hard ? makeSmallDisk() : null
const world = await startWorld((n) => (disk && n === 3 ? path.join(disk.folder, 'home') : freshFolder('chaos-agent')))
const hard = disk ? await makeHard(world, disk, seeded(seed + 2)) : null
try {
  const result = await run(world, hard)
  console.log(`\n${table(result)}`)
  process.exitCode = isGood(result) ? 0 : 1
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  if (process.exitCode === 0 || !values.keep) {
    hard?.calm()
    await hard?.dispose()
    await world.dispose()
    disk?.close()
  } else console.error('What is left lies in the temporary folder; its processes still run.')
}
process.exit()

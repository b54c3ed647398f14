/**
 * A hundred random kills during streaming turns. Afterwards four accounts must agree: the ground truth that the script
 * wrote by itself, the agent's log, the hub's table, and what the browser shows.
 */
import path from 'node:path'
import { logOf, readAll, shownBy, tableOf, textsOf, truthOf } from '../support/ledger'
import { freshFolder } from '../support/paths'
import { seeded } from '../support/random'
import { expect, Person, test } from '../support/story'
import { type System, startSystem } from '../support/system'
import { until } from '../support/until'

const KILLS = Number(process.env.ROUNDHOUSE_KILLS ?? 100)
const SEED = Number(process.env.ROUNDHOUSE_SEED ?? 20_261)
const TEXTS_A_TURN = 60

type Victim = 'host' | 'daemon' | 'hub'
const victims: Victim[] = ['host', 'daemon', 'hub']

test('[I1] [I2] [I3] a hundred random kills lose nothing, double nothing and keep the order', async ({ page }) => {
  test.setTimeout(20 * 60_000)
  const truth = path.join(freshFolder('truth'), 'truth.jsonl')
  const system = await startSystem('scripted', { env: { ROUNDHOUSE_SCRIPT_TRUTH: truth } })
  try {
    const person = new Person(page, system)
    await person.open()
    const sessionId = await person.startSession(turn(0))
    const killed = await storm(system, sessionId)
    const head = await settle(system, sessionId)

    const client = await system.hub.client()
    const [log, table, rest] = [
      logOf(system.agent.sessionFolder(sessionId)),
      tableOf(system.hub.dataDir, sessionId),
      await readAll(client, sessionId),
    ]
    client.close()
    await until(
      'the page to have the whole log',
      async () => (await page.getByTestId('session').getAttribute('data-head')) === String(head),
    )
    const shown = await shownBy(page)
    const wrote = truthOf(truth)
    console.log(
      `seed ${SEED}: ${killed.host + killed.daemon + killed.hub} kills (host ${killed.host}, daemon ${killed.daemon}, hub ${killed.hub}); ` +
        `script wrote ${wrote.length}, log ${textsOf(log).length}, table ${textsOf(table).length}, page ${shown.length} texts; ${log.length} events`,
    )
    expect(log.map((row) => row.seq)).toEqual(log.map((_, index) => index + 1))
    expect(table).toEqual(log)
    expect(rest.map(({ seq, hash, body }) => ({ seq, hash, body }))).toEqual(log)
    expect(textsOf(log)).toEqual(wrote)
    expect(shown).toEqual(wrote)
  } finally {
    await system.dispose()
  }
})

const turn = (n: number) =>
  `Count. SCRIPT: ${JSON.stringify([{ count: { to: TEXTS_A_TURN, delayMs: 15, prefix: `turn ${n} text` } }])}`

/** Kills one process after another, each after a random number of events, and keeps a turn running all the time. */
async function storm(system: System, sessionId: string): Promise<Record<Victim, number>> {
  const random = seeded(SEED)
  const killed = { host: 0, daemon: 0, hub: 0 }
  let turns = 1
  const heads = () => logOf(system.agent.sessionFolder(sessionId)).length
  while (killed.host + killed.daemon + killed.hub < KILLS) {
    const from = heads()
    const goal = from + 2 + random(20)
    await until('the turn to go on', async () => {
      if (heads() >= goal) return true
      if (await isQuiet(system, sessionId)) await prompt(system, sessionId, turns++)
      return false
    })
    const victim = victims[random(victims.length)] ?? 'hub'
    await kill(system, sessionId, victim)
    killed[victim]++
  }
  return killed
}

async function kill(system: System, sessionId: string, victim: Victim): Promise<void> {
  if (victim === 'host') {
    const pid = system.agent.hostPid(sessionId)
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
    return
  }
  const target = victim === 'hub' ? system.hub : system.agent
  await target.kill()
  await target.start()
}

async function prompt(system: System, sessionId: string, n: number): Promise<void> {
  const client = await system.hub.client()
  try {
    await client.rest.prompt(sessionId, { promptId: `p_${n}`, text: turn(n) }, `prompt-${n}-of-the-storm`)
  } finally {
    client.close()
  }
}

/** Neither a turn nor a prompt on its way. */
async function isQuiet(system: System, sessionId: string): Promise<boolean> {
  const client = await system.hub.client()
  try {
    const { session } = await client.rest.snapshot(sessionId, 1)
    const onTheWay = session.commands.some((c) => c.state === 'pending' || c.state === 'sent')
    return session.agentOnline && session.turnId === undefined && session.queue.length === 0 && !onTheWay
  } finally {
    client.close()
  }
}

/** After the storm: one more turn to its end, so that whatever died last has been closed too. */
async function settle(system: System, sessionId: string): Promise<number> {
  await until('the last turn to end', () => isQuiet(system, sessionId), 120_000)
  const client = await system.hub.client()
  await client.rest.prompt(sessionId, { promptId: 'p_last', text: turn(9_999) }, 'the-last-prompt-of-all')
  const head = await until(
    'the closing turn',
    async () => {
      const { session, head: at } = await client.rest.snapshot(sessionId, 1)
      const done = session.turnId === undefined && session.lastLine.includes(`turn 9999 text ${TEXTS_A_TURN}`)
      return done ? at : null
    },
    120_000,
  )
  client.close()
  return head
}

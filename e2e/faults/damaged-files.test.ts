/**
 * Files of single sessions and the agent's index under a disk that turns bits, tears and misplaces pages, cuts files and
 * loses values, by seed. Whatever it hits: the daemon stays, a session beside it is served as ever, and the one that was
 * hit goes on. ROUNDHOUSE_DAMAGES chooses how many rounds, ROUNDHOUSE_SEED which.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect } from 'vitest'
import { eventsOf, progressOf, readAll, tableOf } from '../support/accounts/ledger'
import { seeded } from '../support/common/random'
import { until } from '../support/common/until'
import { type Dice, damage, logFile, loseValues } from '../support/damage/damage'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'

const ROUNDS = Number(process.env.ROUNDHOUSE_DAMAGES ?? 4)
const SEED = Number(process.env.ROUNDHOUSE_SEED ?? 11)
const IDLE_MS = 400
const START = ['--idle-ms', String(IDLE_MS)]

let rig: Rig
afterEach(() => rig.dispose())

const folderOf = (sessionId: string) => rig.system.agent.sessionFolder(sessionId)
const stored = (sessionId: string) => eventsOf(tableOf(rig.system.hub.dataDir, sessionId))
const says = (sessionId: string, text: string) =>
  stored(sessionId).some((event) => event.kind === 'assistant_text' && event.text === text)
const rests = (sessionId: string) => !existsSync(path.join(folderOf(sessionId), 'host.json'))

/** What is hit, and in which state of the machine. */
const targets: Record<string, (victim: string, dice: Dice) => Promise<string>> = {
  'a log at rest, no daemon': async (victim, dice) => {
    await asleep(victim)
    await rig.system.agent.kill()
    const done = damage(logFile(folderOf(victim)), dice)
    await rig.system.agent.start(START)
    return done
  },
  'a log at rest': async (victim, dice) => {
    await asleep(victim)
    return damage(logFile(folderOf(victim)), dice)
  },
  'a log and its side file, under the pen of the host': async (victim, dice) => {
    const before = stored(victim).length
    await rig.prompt(victim, [{ count: { to: 100, delayMs: 10, prefix: `it is damaged while it says ${before}` } }])
    await until('the turn to go on', () => stored(victim).length > before + 5)
    const log = logFile(folderOf(victim))
    return `${damage(log, dice)}; beside it ${damage(`${log}-wal`, dice)}`
  },
  'the side file after a power cut': async (victim, dice) => {
    const before = stored(victim).length
    await rig.prompt(victim, [{ count: { to: 100, delayMs: 10, prefix: `the power fails while it says ${before}` } }])
    await until('the turn to go on', () => stored(victim).length > before + 5)
    const host = rig.system.agent.hostPid(victim)
    await rig.system.agent.kill()
    rig.system.agent.killHost(victim)
    await until('the host to be gone', () => host === undefined || !existsSync(`/proc/${host}`))
    const done = damage(`${logFile(folderOf(victim))}-wal`, dice)
    await rig.system.agent.start(START)
    return done
  },
  'values of rows': async (victim, dice) => {
    await asleep(victim)
    const tables = { events: ['kind', 'v', 'at', 'hash', 'body'], inbox: ['body', 'state', 'at'], meta: ['value'] }
    const [table, columns] = Object.entries(tables)[dice(3)] ?? ['events', ['body']]
    const lost = columns.filter(() => dice(2) === 0)
    const where = `abs(random()) % ${1 + dice(5)} = 0`
    try {
      loseValues(logFile(folderOf(victim)), table, lost.length > 0 ? lost : columns, where)
      return `${table} loses ${lost.join(', ')} where ${where}`
    } catch (error) {
      return `nothing, for the file is damaged already: ${String(error)}`
    }
  },
  'the index': async (_victim, dice) => {
    const { agent } = rig.system
    await agent.kill()
    const index = path.join(agent.home, 'state/index.db')
    const done = `${damage(index, dice)}; beside it ${damage(`${index}-wal`, dice)}`
    await agent.start(START)
    return done
  },
  'spool, lock and notes': async (victim, dice) => {
    await asleep(victim)
    const names = ['lock.db', 'session.json', 'launch.json', 'guard.note', 'host.log']
    return names.map((name) => `${name}: ${damage(path.join(folderOf(victim), name), dice)}`).join('; ')
  },
}

async function asleep(sessionId: string): Promise<void> {
  await until('the session to rest', () => rests(sessionId))
}

/** What became of a prompt, for whoever sent it. */
function stateOf(commandId: string): string {
  const db = new Database(path.join(rig.system.hub.dataDir, 'hub.db'), { readonly: true, timeout: 5_000 })
  try {
    const row = db
      .prepare<[string], { state: string; errorCode: string | null }>(
        'SELECT state, errorCode FROM Command WHERE commandId = ?',
      )
      .get(commandId)
    return [row?.state, row?.errorCode].filter(Boolean).join(' ')
  } finally {
    db.close()
  }
}

/** The damage may take a prompt with it, which is then said; so it is sent anew until there is an answer. */
async function goesOn(victim: string, text: string): Promise<number> {
  for (let tries = 1; tries <= 6; tries += 1) {
    const { commandId } = await rig.prompt(victim, [{ text }])
    const end = await until(`an answer of ${victim}`, () => {
      const state = stateOf(commandId)
      return says(victim, text) ? 'answered' : /^(done|refused|outcome_unknown|expired|cancelled)/.test(state) && state
    })
    // "Done" may be heard before the events: its turn may have ended with a host that had to go.
    if (end === 'done') await isWhole(victim)
    if (says(victim, text)) return tries
    if (end.startsWith('refused')) throw new Error(`${victim} refuses a prompt: ${end}`)
  }
  throw new Error(`${victim} never answered`)
}

const hostLogOf = (sessionId: string) =>
  readFileSync(path.join(folderOf(sessionId), 'host.log'))
    .subarray(-3_000)
    .toString('latin1')

async function isWhole(sessionId: string): Promise<void> {
  await until('the hub to have all of its log', async () => {
    const { head, inTurn } = progressOf(folderOf(sessionId))
    return !inTurn && (await rig.rest.snapshot(sessionId, 1)).head === head
  })
  const numbers = (await readAll(rig.rest, sessionId)).flatMap(({ seq, to }) => [seq, to ?? seq])
  const jumps = numbers.filter((seq, index) => index % 2 === 0 && seq !== (numbers[index - 1] ?? 0) + 1)
  expect(jumps).toEqual([])
}

// `outside-damage` plays what an ordinary run plays of it.
variation(
  `[F19] [REB-4] ${ROUNDS} times a damaged file, seed ${SEED}: the neighbour is served, the daemon stays, the session goes on`,
  async () => {
    rig = await startRig({ idleMs: IDLE_MS })
    const { agent } = rig.system
    const dice = seeded(SEED)
    const neighbour = await rig.begin([{ text: 'I am the neighbour.' }])
    const victims = [
      await rig.begin([{ count: { to: 300, delayMs: 0, prefix: 'a line of the first one' } }]),
      await rig.begin([{ count: { to: 100, delayMs: 0, prefix: 'a line of the second one' } }]),
    ]
    for (const sessionId of [neighbour, ...victims]) await rig.agree(sessionId)
    const names = Object.keys(targets)
    for (let round = 1; round <= ROUNDS; round += 1) {
      const name = names[dice(names.length)] ?? ''
      const victim = victims[dice(victims.length)] ?? ''
      await rig.prompt(neighbour, [{ count: { to: 20, delayMs: 20, prefix: `round ${round}` } }])
      const done = await targets[name]?.(victim, dice)
      const { pid } = agent
      const what = `round ${round}, ${name}, ${victim}: ${done}`
      try {
        await until('the neighbour to be served', () => says(neighbour, `round ${round} 20`))
        const tries = await goesOn(victim, `Here again after round ${round}.`)
        if (process.env.ROUNDHOUSE_SAY) console.log(`${what}; answered at try ${tries}`)
        await isWhole(victim)
        await rig.agree(neighbour)
        expect(stored(neighbour).filter(({ kind }) => kind === 'gap')).toEqual([])
        expect({ running: agent.running, pid: agent.pid }).toEqual({ running: true, pid })
      } catch (error) {
        throw new Error(`${what}\n${agent.output.slice(-3_000)}\n${hostLogOf(victim)}`, { cause: error })
      }
    }
  },
)

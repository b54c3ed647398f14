/**
 * A machine that returns to very many waiting sessions, seen from outside: nobody else waits for it. A question on another
 * machine is on screen while the crowd is still being taken in, the hub answers, every command is accepted, hosts whose
 * program waits for a place do not stay, and whoever looks at one of the crowd is served first. ROUNDHOUSE_SESSIONS chooses
 * how many; with 1,000 the figures of docs/reliability.md are held as well.
 */
import path from 'node:path'
import { setInterval } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterEach, expect } from 'vitest'
import { openViewer } from '../support/accounts/viewer'
import { until } from '../support/common/until'
import { residentMib } from '../support/processes/process-cost'
import { isAlive } from '../support/processes/start-command'
import { hostsOf, type Machine, Place } from '../support/rigs/place'
import { variation } from '../support/rigs/variation'

const SESSIONS = Number(process.env.ROUNDHOUSE_SESSIONS ?? 30)
const LARGE = SESSIONS >= 1_000
const PLACES = 4
/** Beyond the programs that run: hosts that are just being started (four at once), take in a command, or leave. */
const IN_PASSING = 12
const WAIT_MS = 60_000 + SESSIONS * 1_500

let place: Place
afterEach(() => place?.dispose())

variation(
  `[LINK-5] [FLOW-3] [CMD-2] ${SESSIONS} sessions wait for a machine that returns: another machine and the hub do not wait with them`,
  async () => {
    place = await Place.start()
    const crowded = await place.join('crowded', {
      up: ['--idle-ms', '1500'],
      policy: { limits: { runningSessions: PLACES } },
    })
    const other = await place.join('other')
    const elsewhere = await place.begin(other, [{ text: 'Ready.' }])
    // Some have a log and rest; the others do not exist yet on the machine.
    const settings = { backend: 'scripted', workDir: crowded.workDir } as const
    const rested = await inTurns(Math.round(SESSIONS * 0.2), async () => {
      const { sessionId } = await place.rest.createSession({ agentId: crowded.agentId, settings })
      return sessionId
    })
    await until('them to have a log', () => rested.every((sessionId) => place.rows(sessionId).length > 0), WAIT_MS)
    await until('them to rest', () => hostsOf(crowded.agent.home).length === 0, WAIT_MS)
    await crowded.agent.kill()
    const crowd = await inTurns(SESSIONS, async (n) => {
      const steps = [{ tool: 'Read', input: {}, tookMs: 50 }, { text: `answer ${n}` }]
      const old = rested[n]
      return (old ? await place.prompt(old, steps) : await place.create(crowded, steps)).sessionId
    })
    const looked = crowd.at(-1) ?? ''
    const viewer = await openViewer(place.hub, looked)

    const hub = place.hub.pid
    const health = watchHealth()
    const hosts = watchHosts(crowded)
    const begun = performance.now()
    const since = () => Math.round(performance.now() - begun)
    crowded.agent.launch(crowded.up)
    await until('the first of them to be accepted', () => accepted(crowd) > 0, WAIT_MS)

    const asked = performance.now()
    await place.prompt(elsewhere, [asking('elsewhere'), { text: 'Done elsewhere.' }])
    const ask = await place.asked(elsewhere, WAIT_MS)
    const question = { ms: Math.round(performance.now() - asked), accepted: accepted(crowd) }
    await place.allow(ask)
    await until('it to go on', () => place.texts(elsewhere).includes('Done elsewhere.'), WAIT_MS)
    const answered = { ms: Math.round(performance.now() - asked), accepted: accepted(crowd) }

    await until('the one that is looked at to answer', () => answers(looked, SESSIONS - 1), WAIT_MS)
    const before = crowd.filter((sessionId, n) => sessionId !== looked && answers(sessionId, n)).length
    viewer.close()
    await until('all of them to be accepted', () => accepted(crowd) === SESSIONS, WAIT_MS)
    const taken = since()
    await until('all of them to have answered', () => crowd.every((sessionId, n) => answers(sessionId, n)), WAIT_MS)
    await until('each command to be done', () => states(crowd).done === SESSIONS, WAIT_MS)
    const figures = { question, answered, before, taken, all: since(), health: await health.end(), ...hosts.end() }
    console.log(`${SESSIONS} sessions return: ${JSON.stringify(figures)}`)

    expect(question.accepted).toBeLessThan(SESSIONS)
    expect(figures.mostHosts).toBeLessThanOrEqual(PLACES + IN_PASSING)
    expect(before).toBeLessThan(SESSIONS / 2)
    expect(figures.health.failed).toBe(0)
    expect(states(crowd)).toEqual({ done: SESSIONS })
    for (const [n, sessionId] of crowd.entries())
      expect(place.texts(sessionId).filter((text) => text === `answer ${n}`)).toHaveLength(1)
    expect([hub, crowded.agent.pid, other.agent.pid].every(isAlive)).toBe(true)
    if (LARGE) {
      expect(question.ms).toBeLessThan(1_000)
      expect(figures.health.p99).toBeLessThan(300)
      expect(figures.mostMiB).toBeLessThan(4_096)
    }
  },
  WAIT_MS * 3,
)

variation(
  '[CMD-8.1] prompts that find every place taken by programs that ask are accepted all the same, and their hosts do not stay',
  async () => {
    place = await Place.start()
    const machine = await place.join('crowded', {
      up: ['--idle-ms', '1500'],
      policy: { limits: { runningSessions: PLACES } },
    })
    const holders = await inTurns(PLACES, (n) => place.begin(machine, [asking(`holder-${n}`), { text: `held ${n}` }]))
    const asks = await Promise.all(holders.map((sessionId) => place.asked(sessionId)))
    await machine.agent.kill()
    const count = Math.max(12, Math.round(SESSIONS / 4))
    const crowd = await inTurns(count, async (n) => (await place.create(machine, [{ text: `answer ${n}` }])).sessionId)
    await machine.agent.start(machine.up)
    const daemon = machine.agent.pid
    await until('all of them to be accepted', () => accepted(crowd) === count, WAIT_MS)
    await until('their hosts to leave', () => hostsOf(machine.agent.home).length === PLACES)
    expect(crowd.some((sessionId, n) => answers(sessionId, n))).toBe(false)
    for (const ask of asks) await place.allow(ask)
    await until('all of them to have answered', () => crowd.every((sessionId, n) => answers(sessionId, n)), WAIT_MS)
    await until('each command to be done', () => states(crowd).done === count)
    for (const [n, sessionId] of holders.entries()) expect(place.texts(sessionId)).toContain(`held ${n}`)
    expect(isAlive(daemon)).toBe(true)
  },
  WAIT_MS,
)

const asking = (word: string) => ({ tool: 'Write', input: { file_path: `${word}.txt`, content: 'x' } })
const answers = (sessionId: string, n: number) => place.texts(sessionId).includes(`answer ${n}`)

/** A few at a time, as people do it. */
async function inTurns<R>(count: number, work: (n: number) => Promise<R>): Promise<R[]> {
  const made: R[] = []
  for (let n = 0; n < count; n += 4) {
    const some = Array.from({ length: Math.min(4, count - n) }, (_, k) => work(n + k))
    made.push(...(await Promise.all(some)))
  }
  return made
}

/** Of the commands that made these sessions: how many are in which state. */
function states(crowd: readonly string[]): Record<string, number> {
  const db = new Database(path.join(place.hub.dataDir, 'hub.db'), { readonly: true, timeout: 5_000 })
  try {
    const sql =
      'SELECT sessionId, state FROM Command WHERE createdAt = (SELECT max(createdAt) FROM Command l WHERE l.sessionId = Command.sessionId)'
    const wanted = new Set(crowd)
    const counts: Record<string, number> = {}
    for (const { sessionId, state } of db.prepare<[], { sessionId: string; state: string }>(sql).all())
      if (wanted.has(sessionId)) counts[state] = (counts[state] ?? 0) + 1
    return counts
  } finally {
    db.close()
  }
}

const accepted = (crowd: readonly string[]) => {
  const { accepted: waits = 0, done = 0 } = states(crowd)
  return waits + done
}

/** The hub is asked all the time, as whoever watches over it does. */
function watchHealth() {
  const took: number[] = []
  let failed = 0
  let over = false
  const work = (async () => {
    // A rate, and no wait: 25 ms between two questions.
    for await (const _tick of setInterval(25)) {
      if (over) break
      const begun = performance.now()
      const { ok } = await fetch(`${place.hub.url}/api/v1/health`).catch(() => ({ ok: false }))
      if (!ok) failed += 1
      took.push(Math.round(performance.now() - begun))
    }
  })()
  return {
    end: async () => {
      over = true
      await work
      took.sort((a, b) => a - b)
      const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0
      return { asked: took.length, failed, p50: at(0.5), p99: at(0.99), most: at(1) }
    },
  }
}

function watchHosts(machine: Machine) {
  let mostHosts = 0
  let mostMiB = 0
  const timer = globalThis.setInterval(() => {
    const pids = hostsOf(machine.agent.home)
    mostHosts = Math.max(mostHosts, pids.length)
    mostMiB = Math.max(
      mostMiB,
      [place.hub.pid, machine.agent.pid, ...pids].reduce((sum, pid) => sum + residentMib(pid), 0),
    )
  }, 200)
  return {
    end: () => {
      clearInterval(timer)
      return { mostHosts, mostMiB }
    },
  }
}

/**
 * Disks that do not give back what was written, seen from outside: whatever happens to the file of one session, it happens to
 * that session. The others on its machine stream and answer on, the daemon and the hub stay the processes that they were, the
 * damage is shown, and the next prompt goes on. ROUNDHOUSE_SEED chooses other bits.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { blocksOf, logOf, readAll, truthOf } from '../support/accounts/ledger'
import { seeded } from '../support/common/random'
import { until } from '../support/common/until'
import { damages, flipInText, flipSome, nullPagesWith } from '../support/damage/bit-rot'
import { isAlive } from '../support/processes/start-command'
import { type Machine, Place } from '../support/rigs/place'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'

const SEED = Number(process.env.ROUNDHOUSE_SEED ?? 1)

/** An ordinary run plays each damage once: some on logs at rest, the others under hosts that live. */
const some = (...which: number[]) => damages.filter((_, n) => wholeMatrix || which.includes(n))
const atRest = some(0, 3, 4)
const underHosts = some(1, 2)

let place: Place
let machine: Machine
let random: (below: number) => number
afterEach(() => place?.dispose())

const logFile = (sessionId: string) => path.join(machine.agent.sessionFolder(sessionId), 'log.db')
const sleeps = (sessionId: string) => !existsSync(path.join(machine.agent.sessionFolder(sessionId), 'host.json'))
const turnEnded = async (sessionId: string) => (await place.rest.snapshot(sessionId, 1)).session.turnId === undefined

async function begin(): Promise<void> {
  random = seeded(SEED)
  place = await Place.start()
  machine = await place.join('workbench', {
    up: ['--idle-ms', '500'],
    policy: { limits: { runningSessions: 20 } },
  })
}

/** One session that streams for as long as the test lasts, and one that asks again and again. */
async function neighbours() {
  const streams = await place.begin(machine, [{ count: { to: 100_000, delayMs: 60, prefix: 'neighbour' } }])
  const asks = await place.begin(
    machine,
    Array.from({ length: 20 }, (_, n) => ({ tool: 'Write', input: { file_path: `${n}.txt`, content: 'x' } })),
  )
  await until('the neighbour to stream', () => place.rows(streams).length > 5)
  await place.asked(asks)
  const daemon = machine.agent.pid
  const hub = place.hub.pid
  return {
    /** They stream and answer, and hub and daemon are the processes that they were. */
    goOn: async (sameDaemon = true, sameHub = true) => {
      const before = place.rows(streams).length
      const now = machine.agent.pid
      await until('the neighbour to stream on', () => place.rows(streams).length > before + 10 || !isAlive(now))
      expect(isAlive(now), machine.agent.output).toBe(true)
      const ask = await place.asked(asks)
      await place.allow(ask)
      await until('the answer to be applied', () =>
        place
          .events(asks)
          .some(
            (one) => one.kind === 'permission_resolved' && one.requestId === ask.requestId && one.outcome === 'applied',
          ),
      )
      if (sameHub) expect(isAlive(hub), place.hub.output).toBe(true)
      if (sameDaemon) expect(isAlive(daemon), machine.agent.output).toBe(true)
      await until('the machine to be there', async () => (await place.view(machine)).online)
    },
  }
}

/** What the hub tells of damage to this session: a gap that names it, or words in its status or its events. */
async function told(sessionId: string): Promise<string | undefined> {
  const { session } = await place.rest.snapshot(sessionId, 1)
  const said = [...place.events(sessionId).filter(({ kind }) => kind !== 'user_message'), session.status]
  return said.map((one) => JSON.stringify(one)).find((words) => /corrupt|damage|malformed/i.test(words))
}

/**
 * The next prompt is answered, what the hub had stays as it was, and each text is there once. Where that prompt itself finds
 * the damage, REB-1 says that its outcome is unknown: then it did not run, and the person sends it again.
 */
async function goesOn(sessionId: string, before: ReturnType<Place['rows']>): Promise<void> {
  const answer = `Again ${sessionId}.`
  await until('its turn to be over', () => turnEnded(sessionId), 30_000)
  if ((await place.rest.snapshot(sessionId, 1)).session.queueHeld) await place.rest.queue(sessionId, { op: 'release' })
  const answered = async () => {
    const { commandId } = await place.prompt(sessionId, [{ text: answer }])
    let seen: unknown
    const look = async () => {
      const { status, commands } = (await place.rest.snapshot(sessionId, 1)).session
      const state = commands.find((command) => command.commandId === commandId)?.state
      seen = { status, commands }
      if (place.texts(sessionId).includes(answer)) return ['idle', 'resumable'].includes(status.status) && 'answered'
      return state === 'outcome_unknown' && state
    }
    return until('an answer to the next prompt', look, 30_000).catch((error: Error) => {
      throw new Error(`${sessionId}: ${error.message}: ${JSON.stringify(seen)}`)
    })
  }
  if ((await answered()) === 'outcome_unknown') expect(await answered()).toBe('answered')
  expect(place.rows(sessionId).slice(0, before.length)).toEqual(before)
  const seqs = (rows: ReadonlyArray<{ seq: number }>) => rows.map(({ seq }) => seq).join(' ')
  await until('pages and table to tell the same', async () => {
    const shown = seqs(await readAll(place.rest, sessionId))
    return shown === seqs(place.rows(sessionId))
  })
  // What of the log nobody has to read any more may stay damaged under a host that lives; what can be read is the hub's.
  await until('the hub to have all of its log', () => {
    const held = new Map(place.rows(sessionId).map(({ seq, hash }) => [seq, hash]))
    return readable(sessionId).every((row) => held.get(row.seq) === row.hash)
  })
  const events = place.events(sessionId)
  const wrote = truthOf(machine.truth, events)
  const found = blocksOf(events)
  expect(found.filter((block, at) => found.indexOf(block) !== at)).toEqual([])
  const missing = wrote.filter((block) => !found.includes(block))
  if (missing.length > 0) expect(events.map(({ kind }) => kind)).toContain('gap')
}

function readable(sessionId: string): ReturnType<typeof logOf> {
  try {
    return logOf(machine.agent.sessionFolder(sessionId))
  } catch (error) {
    if (/malformed|not a database/.test(String(error))) return []
    throw error
  }
}

const each = <T, R>(all: readonly T[], work: (one: T, n: number) => Promise<R>): Promise<R[]> =>
  Promise.all(all.map(work))

describe(`logs of several sessions at once (seed ${SEED})`, () => {
  it('[F19] [BAD-2] are damaged while they rest and the daemon runs: each is shown, and goes on with the next prompt', async () => {
    await begin()
    const { goOn } = await neighbours()
    const victims = await each(atRest, async () => {
      const sessionId = await place.begin(machine, [{ count: { to: 30, prefix: 'victim' } }])
      await until('its answer', () => place.texts(sessionId).includes('victim 30'))
      return sessionId
    })
    await each(victims, (sessionId) => until('it to sleep', () => sleeps(sessionId)))
    const before = victims.map((sessionId) => place.rows(sessionId))
    for (const [n, { strike }] of atRest.entries()) strike(logFile(victims[n] as string), random)
    await goOn()
    await each(victims, async (sessionId, n) => {
      await goesOn(sessionId, before[n] ?? [])
      expect(await told(sessionId), `${atRest[n]?.name}`).toBeDefined()
    })
    await goOn()
  })

  variation(
    '[F19] [RES-6] are damaged while the daemon is away: it comes back, with the sessions beside them',
    async () => {
      await begin()
      const { goOn } = await neighbours()
      const victims = await each(damages, async () => {
        const sessionId = await place.begin(machine, [{ count: { to: 30, prefix: 'victim' } }])
        await until('its answer', () => place.texts(sessionId).includes('victim 30'))
        return sessionId
      })
      await each(victims, (sessionId) => until('it to sleep', () => sleeps(sessionId)))
      await machine.agent.kill()
      const before = victims.map((sessionId) => place.rows(sessionId))
      for (const [n, { strike }] of damages.entries()) strike(logFile(victims[n] as string), random)
      await machine.agent.start(machine.up)
      const daemon = machine.agent.pid
      await goOn(false)
      await each(victims, async (sessionId, n) => {
        await goesOn(sessionId, before[n] ?? [])
        expect(await told(sessionId), `${damages[n]?.name}`).toBeDefined()
      })
      await goOn(false)
      expect(isAlive(daemon)).toBe(true)
    },
  )

  variation(
    '[F19] [LOG-7] are damaged in mid-turn, under hosts that live: the daemon stays, their turns end, the next prompt goes on',
    async () => {
      await begin()
      const { goOn } = await neighbours()
      const victims = await each(damages, () =>
        place.begin(machine, [{ count: { to: 80, delayMs: 25, prefix: 'victim' } }]),
      )
      await each(victims, (sessionId) => until('it to stream', () => place.rows(sessionId).length > 15))
      for (const [n, { strike }] of damages.entries()) strike(logFile(victims[n] as string), random)
      await goOn()
      await each(victims, (sessionId) => goesOn(sessionId, []))
      await goOn()
    },
  )

  variation(
    '[F19] [RES-1] [RES-6] [LOG-7] are damaged under hosts that live, one with a question, while the daemon is away',
    async () => {
      await begin()
      const { goOn } = await neighbours()
      const victims = await each(underHosts, (_, n) =>
        place.begin(machine, [
          { count: { to: 20, prefix: 'victim' } },
          n % 2 === 0
            ? { count: { to: 60, delayMs: 25, prefix: 'more' } }
            : { tool: 'Write', input: { file_path: `v${n}.txt`, content: 'x' } },
        ]),
      )
      await each(victims, (sessionId) => until('its texts', () => place.texts(sessionId).includes('victim 20')))
      for (const [n, sessionId] of victims.entries()) if (n % 2 === 1) await place.asked(sessionId)
      await machine.agent.kill()
      for (const [n, { strike }] of underHosts.entries()) strike(logFile(victims[n] as string), random)
      await machine.agent.start(machine.up)
      const daemon = machine.agent.pid
      await goOn(false)
      await each(victims, async (sessionId) => {
        const { requests } = (await place.rest.snapshot(sessionId, 1)).session
        for (const { ask, decision, outcome } of requests)
          if (!decision && outcome === 'open') await place.allow(ask).catch(() => {})
        await goesOn(sessionId, [])
      })
      await goOn(false)
      expect(isAlive(daemon)).toBe(true)
    },
  )
})

describe(`the index of the machine (seed ${SEED})`, () => {
  variation(
    '[STORE-3] is damaged while the daemon runs, and again while it is away: nothing of any session is missing',
    async () => {
      await begin()
      const { goOn } = await neighbours()
      const index = path.join(machine.agent.home, 'state/index.db')
      const quiet = await place.begin(machine, [{ text: 'One.' }])
      await until('its answer', () => place.texts(quiet).includes('One.'))
      flipSome(index, random, 400)
      flipSome(`${index}-wal`, random, 4_000)
      await goOn()
      await goesOn(quiet, place.rows(quiet))
      for (const { strike } of some(0, 3)) {
        await machine.agent.kill()
        strike(index, random)
        await machine.agent.start(machine.up)
      }
      const daemon = machine.agent.pid
      await goOn(false)
      const another = await place.begin(machine, [{ text: 'Two.' }])
      await until('its answer', () => place.texts(another).includes('Two.'))
      expect(isAlive(daemon)).toBe(true)
    },
  )
})

describe(`the file of the hub (seed ${SEED})`, () => {
  /** Its texts come ahead of the neighbours', so that they have pages of their own. */
  async function victimFirst(): Promise<string> {
    await begin()
    const victim = await place.begin(machine, [{ count: { to: 80, prefix: 'VICTIM' } }, { text: 'The end.' }])
    await until('its answer', () => place.texts(victim).includes('The end.'))
    return victim
  }
  const file = () => path.join(place.hub.dataDir, 'hub.db')
  const bodies = async (sessionId: string) => (await readAll(place.rest, sessionId)).map(({ body }) => body)
  const answersOn = async (victim: string) => {
    await place.prompt(victim, [{ text: 'Again.' }])
    await until('its next answer', async () => (await bodies(victim)).some((body) => body.includes('"Again."')))
  }

  it('[STORE-6] has NULLs instead of a page of texts of one session: the hub stays, says so there, and everybody goes on', async () => {
    const victim = await victimFirst()
    const { goOn } = await neighbours()
    expect(nullPagesWith(file(), '"text":"VICTIM 17"', 'neighbour')).toBeGreaterThan(0)
    await goOn()
    const before = await bodies(victim)
    expect(before.join('\n')).toMatch(/"reason":"corrupt"|DAMAGED/)
    expect(before.join('\n')).toContain('The end.')
    await answersOn(victim)
    await goOn()
    const hub = place.hub.pid
    expect((await place.rest.sessions()).items).toHaveLength(3)
    expect(isAlive(hub)).toBe(true)
  })

  variation(
    '[STORE-6.2] has a bit that flipped in texts of one session: a tombstone stands in their place, and everybody goes on',
    async () => {
      const victim = await victimFirst()
      const { goOn } = await neighbours()
      await place.hub.stop()
      expect(flipInText(file(), 'VICTIM 17')).toBeGreaterThan(0)
      await place.hub.start()
      await until('the machine to be back', async () => (await place.view(machine)).online)
      const shown = await bodies(victim)
      expect(shown.filter((body) => body.includes('DAMAGED')).length).toBeGreaterThan(0)
      expect(shown.join('\n')).not.toContain('VIBTIM')
      await answersOn(victim)
      await goOn(true, false)
    },
  )
})

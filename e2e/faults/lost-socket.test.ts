/**
 * A host outlives the file of its socket: systemd removes XDG_RUNTIME_DIR at the last logout, cleaners empty /tmp. The daemon
 * after that finds it all the same. One that is frozen is found by nobody, and a stop reaches its session nevertheless.
 */
import { existsSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { processesOf } from '../support/processes/processes'
import { faultsOf, settled } from '../support/rigs/accounts'
import { hostsOf, type Machine, Place } from '../support/rigs/place'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'

let place: Place
let machine: Machine
afterEach(() => place?.dispose())

const asking = (file: string) => [
  { tool: 'Write', input: { file_path: file, content: 'x' } },
  { text: `After ${file}.` },
]
const hostOf = (sessionId: string) => machine.agent.hostPid(sessionId) ?? 0
const statusOf = async (sessionId: string) => (await place.rest.snapshot(sessionId, 1)).session.status.status
const file = (sessionId: string, name: string) => path.join(machine.agent.sessionFolder(sessionId), name)
const socketOf = (sessionId: string): string =>
  JSON.parse(readFileSync(file(sessionId, 'launch.json'), 'utf8')).socketPath

async function begin(limits = { runningSessions: 20 }): Promise<void> {
  place = await Place.start()
  machine = await place.join('workbench', { policy: { limits } })
}

/** Sessions that wait for an answer, each with its host. */
async function asks(...names: string[]): Promise<Array<{ sessionId: string; host: number; name: string }>> {
  const made = []
  for (const name of names) {
    const sessionId = await place.begin(machine, asking(name))
    await place.asked(sessionId)
    made.push({ sessionId, host: hostOf(sessionId), name })
  }
  return made
}

async function restart(): Promise<void> {
  await machine.agent.kill()
  await machine.agent.start(machine.up)
}

async function allow(sessionId: string, name: string): Promise<void> {
  await place.allow(await place.asked(sessionId))
  await until('the answer to be carried out', () => place.texts(sessionId).includes(`After ${name}.`))
  expect(readFileSync(path.join(machine.workDir, name), 'utf8')).toBe('x')
  await settled(place, machine, sessionId)
  expect(await faultsOf(place, machine, sessionId)).toEqual([])
}

async function stop(sessionId: string): Promise<void> {
  await place.rest.stop(sessionId)
  await until('the session to be ended', async () => (await statusOf(sessionId)) === 'ended')
  await until('its processes to be gone', () => processesOf(sessionId).length === 0)
  await settled(place, machine, sessionId)
}

describe('a host whose socket was removed', () => {
  it('[RES-1.11] [PERM-3] is found by the next daemon: answers are applied, and a stop stops', async () => {
    await begin()
    const [first, second, third] = await asks('first.txt', 'second.txt', 'third.txt')
    if (!first || !second || !third) throw new Error('three sessions ask')
    for (const { sessionId } of [first, second, third]) rmSync(socketOf(sessionId))
    rmSync(path.dirname(socketOf(first.sessionId)), { recursive: true })
    await restart()
    await allow(first.sessionId, 'first.txt')
    await stop(second.sessionId)
    expect(await faultsOf(place, machine, second.sessionId)).toEqual([])
    await allow(third.sessionId, 'third.txt')
    expect(hostsOf(machine.agent.home).sort()).toEqual([first.host, third.host].sort())
  })

  variation(
    '[RES-4.2] [RES-1] is found also where both files that tell of it were emptied: no second one is started',
    async () => {
      await begin()
      const [only] = await asks('only.txt')
      if (!only) throw new Error('one session asks')
      rmSync(socketOf(only.sessionId))
      for (const name of ['launch.json', 'host.json']) truncateSync(file(only.sessionId, name))
      await machine.agent.kill()
      await machine.agent.start(machine.up)
      expect(hostsOf(machine.agent.home)).toEqual([only.host])
      await allow(only.sessionId, 'only.txt')
      expect(hostsOf(machine.agent.home)).toEqual([only.host])
    },
  )

  variation('[RES-1] a session that begins when the folder of all sockets is gone runs as any other', async () => {
    await begin()
    const [old] = await asks('old.txt')
    if (!old) throw new Error('one session asks')
    rmSync(path.dirname(socketOf(old.sessionId)), { recursive: true })
    const [young] = await asks('young.txt')
    if (!young) throw new Error('another one asks')
    expect(existsSync(socketOf(young.sessionId))).toBe(true)
    await allow(young.sessionId, 'young.txt')
    await allow(old.sessionId, 'old.txt')
  })
})

describe('[LOG-7] [RES-6] a host that is frozen', () => {
  const underIt: [string, () => Promise<void>] = ['under its daemon', async () => {}]
  it.each<[string, () => Promise<void>]>([
    ...(wholeMatrix ? [underIt] : []),
    ['when its daemon was restarted', restart],
  ])('%s is ended by a stop, and its turn is closed', async (_when, meanwhile) => {
    await begin()
    const sessionId = await place.begin(machine, [{ count: { to: 100_000, delayMs: 25, prefix: 'frozen' } }])
    await until('the turn to run', () => place.rows(sessionId).length > 8)
    process.kill(hostOf(sessionId), 'SIGSTOP')
    await meanwhile()
    await stop(sessionId)
    const ends = place.events(sessionId).filter(({ kind }) => kind === 'turn_completed' || kind === 'session_ended')
    expect(ends.map(({ kind }) => kind)).toEqual(['turn_completed', 'session_ended'])
    expect(ends[0]).toMatchObject({ reason: expect.stringMatching(/^(process_exited|outcome_unknown)$/) })
    // What the program printed while nobody read it is gone, and that is said.
    expect(place.events(sessionId)).toContainEqual(expect.objectContaining({ subtype: 'output_lost' }))
    expect(place.log(machine, sessionId)).toEqual(place.rows(sessionId))
  })

  variation('[CMD-8.8] keeps no place from another session where it has nothing to do', async () => {
    await begin({ runningSessions: 1 })
    const idle = await place.begin(machine, [{ text: 'Done.' }])
    await until('its turn to end', () => place.events(idle).some(({ kind }) => kind === 'turn_completed'))
    await until('the session to rest', async () => (await statusOf(idle)) === 'idle')
    process.kill(hostOf(idle), 'SIGSTOP')
    const next = await place.begin(machine, [{ text: 'Begun.' }])
    await until('the next session to have the place', () => place.texts(next).includes('Begun.'))
    await until('its end to be recorded', async () => (await statusOf(idle)) === 'resumable')
    await settled(place, machine, idle)
    expect(await faultsOf(place, machine, idle)).toEqual([])
  })

  it('[CMD-7.4] [FLOW-3] keeps no answer from another session, however many it was given, nor its own stop', async () => {
    await begin()
    const input = (n: number) => ({ file_path: `f${n}.txt`, content: 'x' })
    const many = Array.from({ length: 20 }, (_, n) => ({ name: 'Write', input: input(n) }))
    const frozen = await place.begin(machine, [{ tools: many }])
    const open = async () => (await place.rest.snapshot(frozen, 1)).session.requests
    await until('all questions to be open', async () => (await open()).length === many.length)
    const [other] = await asks('other.txt')
    process.kill(hostOf(frozen), 'SIGSTOP')
    for (const { ask } of await open()) await place.allow(ask)
    const neighbour = other?.sessionId ?? ''
    await place.allow(await place.asked(neighbour))
    await until('the answer to be carried out', () => place.texts(neighbour).includes('After other.txt.'))
    // By order and not by time: most of what the frozen one was given is still behind what was sent to it first.
    const { sent = 0, pending = 0 } = commandStates(frozen, 'permission.decide')
    expect(sent + pending).toBe(many.length)
    expect(pending).toBeGreaterThan(many.length / 2)
    await place.rest.stop(frozen)
    await until('the session to be ended', async () => (await statusOf(frozen)) === 'ended')
  })
})

function commandStates(sessionId: string, kind: string): Record<string, number> {
  const db = new Database(path.join(place.hub.dataDir, 'hub.db'), { readonly: true, timeout: 5_000 })
  try {
    const sql = 'SELECT state, count(*) AS n FROM Command WHERE sessionId = ? AND kind = ? GROUP BY state'
    const rows = db.prepare<[string, string], { state: string; n: number }>(sql).all(sessionId, kind)
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
  } finally {
    db.close()
  }
}

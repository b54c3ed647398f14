/**
 * A host outlives the file of its socket: systemd removes XDG_RUNTIME_DIR at the last logout, cleaners empty /tmp. The daemon
 * after that finds it all the same. One that is frozen is found by nobody, and a stop reaches its session nevertheless.
 */
import { existsSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { processesOf } from '../support/processes/processes'
import { faultsOf, settled } from '../support/rigs/accounts'
import { hostsOf, type Machine, Place } from '../support/rigs/place'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'

const asking = (file: string) => [
  { tool: 'Write', input: { file_path: file, content: 'x' } },
  { text: `After ${file}.` },
]

/** A hub and a machine of one test. Tests of frozen hosts wait for seconds, so they run at the same time. */
class Scene {
  private constructor(
    readonly place: Place,
    readonly machine: Machine,
  ) {}

  static async play(play: (scene: Scene) => Promise<void>, limits = { runningSessions: 20 }): Promise<void> {
    const place = await Place.start()
    try {
      await play(new Scene(place, await place.join('workbench', { policy: { limits } })))
    } finally {
      await place.dispose()
    }
  }

  hostOf = (sessionId: string) => this.machine.agent.hostPid(sessionId) ?? 0
  statusOf = async (sessionId: string) => (await this.place.rest.snapshot(sessionId, 1)).session.status.status
  file = (sessionId: string, name: string) => path.join(this.machine.agent.sessionFolder(sessionId), name)
  socketOf = (sessionId: string): string =>
    JSON.parse(readFileSync(this.file(sessionId, 'launch.json'), 'utf8')).socketPath
  settled = (sessionId: string) => settled(this.place, this.machine, sessionId)
  faultsOf = (sessionId: string) => faultsOf(this.place, this.machine, sessionId)

  /** A session that waits for an answer. */
  async asks(name: string): Promise<{ sessionId: string; host: number }> {
    const sessionId = await this.place.begin(this.machine, asking(name))
    await this.place.asked(sessionId)
    return { sessionId, host: this.hostOf(sessionId) }
  }

  async restart(): Promise<void> {
    await this.machine.agent.kill()
    await this.machine.agent.start(this.machine.up)
  }

  async allow(sessionId: string, name: string): Promise<void> {
    const { place, machine } = this
    await place.allow(await place.asked(sessionId))
    await until('the answer to be carried out', () => place.texts(sessionId).includes(`After ${name}.`))
    expect(readFileSync(path.join(machine.workDir, name), 'utf8')).toBe('x')
    await this.settled(sessionId)
    expect(await this.faultsOf(sessionId)).toEqual([])
  }

  async stop(sessionId: string): Promise<void> {
    await this.place.rest.stop(sessionId)
    await until('the session to be ended', async () => (await this.statusOf(sessionId)) === 'ended')
    await until('its processes to be gone', () => processesOf(sessionId).length === 0)
    await this.settled(sessionId)
  }
}

describe('a host whose socket was removed', () => {
  it('[RES-1.11] [PERM-3] is found by the next daemon: answers are applied, and a stop stops', () =>
    Scene.play(async (scene) => {
      const first = await scene.asks('first.txt')
      const second = await scene.asks('second.txt')
      const third = await scene.asks('third.txt')
      for (const { sessionId } of [first, second, third]) rmSync(scene.socketOf(sessionId))
      rmSync(path.dirname(scene.socketOf(first.sessionId)), { recursive: true })
      await scene.restart()
      await scene.allow(first.sessionId, 'first.txt')
      await scene.stop(second.sessionId)
      expect(await scene.faultsOf(second.sessionId)).toEqual([])
      await scene.allow(third.sessionId, 'third.txt')
      expect(hostsOf(scene.machine.agent.home).sort()).toEqual([first.host, third.host].sort())
    }))

  variation(
    '[RES-4.2] [RES-1] is found also where both files that tell of it were emptied: no second one is started',
    () =>
      Scene.play(async (scene) => {
        const { home } = scene.machine.agent
        const only = await scene.asks('only.txt')
        rmSync(scene.socketOf(only.sessionId))
        for (const name of ['launch.json', 'host.json']) truncateSync(scene.file(only.sessionId, name))
        await scene.restart()
        expect(hostsOf(home)).toEqual([only.host])
        await scene.allow(only.sessionId, 'only.txt')
        expect(hostsOf(home)).toEqual([only.host])
      }),
  )

  variation('[RES-1] a session that begins when the folder of all sockets is gone runs as any other', () =>
    Scene.play(async (scene) => {
      const old = await scene.asks('old.txt')
      rmSync(path.dirname(scene.socketOf(old.sessionId)), { recursive: true })
      const young = await scene.asks('young.txt')
      expect(existsSync(scene.socketOf(young.sessionId))).toBe(true)
      await scene.allow(young.sessionId, 'young.txt')
      await scene.allow(old.sessionId, 'old.txt')
    }),
  )
})

describe('[LOG-7] [RES-6] a host that is frozen', () => {
  const underIt: [string, (scene: Scene) => Promise<void>] = ['under its daemon', async () => {}]
  it.concurrent.each<[string, (scene: Scene) => Promise<void>]>([
    ...(wholeMatrix ? [underIt] : []),
    ['when its daemon was restarted', (scene) => scene.restart()],
  ])('[CMD-8.22] %s is ended by a stop, and its turn is closed', (_when, meanwhile) =>
    Scene.play(async (scene) => {
      const { place, machine } = scene
      const sessionId = await place.begin(machine, [{ count: { to: 100_000, delayMs: 25, prefix: 'frozen' } }])
      await until('the turn to run', () => place.rows(sessionId).length > 8)
      process.kill(scene.hostOf(sessionId), 'SIGSTOP')
      await meanwhile(scene)
      await scene.stop(sessionId)
      const ends = place.events(sessionId).filter(({ kind }) => kind === 'turn_completed' || kind === 'session_ended')
      expect(ends.map(({ kind }) => kind)).toEqual(['turn_completed', 'session_ended'])
      expect(ends[0]).toMatchObject({ reason: expect.stringMatching(/^(process_exited|outcome_unknown)$/) })
      const exits = place.events(sessionId).filter(({ kind }) => kind === 'process_exited')
      expect(exits).toMatchObject([{ cause: 'killed' }])
      // What the program printed while nobody read it is gone, and that is said.
      expect(place.events(sessionId)).toContainEqual(expect.objectContaining({ subtype: 'output_lost' }))
      expect(place.log(machine, sessionId)).toEqual(place.rows(sessionId))
    }),
  )

  it.concurrent('[CMD-7.4] [FLOW-3] keeps no answer from another session, however many it was given, nor its own stop', () =>
    Scene.play(async (scene) => {
      const { place, machine } = scene
      const input = (n: number) => ({ file_path: `f${n}.txt`, content: 'x' })
      const many = Array.from({ length: 20 }, (_, n) => ({ name: 'Write', input: input(n) }))
      const frozen = await place.begin(machine, [{ tools: many }])
      const open = async () => (await place.rest.snapshot(frozen, 1)).session.requests
      await until('all questions to be open', async () => (await open()).length === many.length)
      const { sessionId: neighbour } = await scene.asks('other.txt')
      process.kill(scene.hostOf(frozen), 'SIGSTOP')
      for (const { ask } of await open()) await place.allow(ask)
      await place.allow(await place.asked(neighbour))
      await until('the answer to be carried out', () => place.texts(neighbour).includes('After other.txt.'))
      // By order and not by time: most of what the frozen one was given is still behind what was sent to it first.
      const { sent = 0, pending = 0 } = commandStates(place, frozen, 'permission.decide')
      expect(sent + pending).toBe(many.length)
      expect(pending).toBeGreaterThan(many.length / 2)
      await place.rest.stop(frozen)
      await until('the session to be ended', async () => (await scene.statusOf(frozen)) === 'ended')
    }))

  variation('[CMD-8.8] keeps no place from another session where it has nothing to do', () =>
    Scene.play(
      async (scene) => {
        const { place, machine } = scene
        const idle = await place.begin(machine, [{ text: 'Done.' }])
        await until('its turn to end', () => place.events(idle).some(({ kind }) => kind === 'turn_completed'))
        await until('the session to rest', async () => (await scene.statusOf(idle)) === 'idle')
        process.kill(scene.hostOf(idle), 'SIGSTOP')
        const next = await place.begin(machine, [{ text: 'Begun.' }])
        await until('the next session to have the place', () => place.texts(next).includes('Begun.'))
        await until('its end to be recorded', async () => (await scene.statusOf(idle)) === 'resumable')
        await scene.settled(idle)
        expect(await scene.faultsOf(idle)).toEqual([])
      },
      { runningSessions: 1 },
    ),
  )
})

function commandStates(place: Place, sessionId: string, kind: string): Record<string, number> {
  const db = new Database(path.join(place.hub.dataDir, 'hub.db'), { readonly: true, timeout: 5_000 })
  try {
    const sql = 'SELECT state, count(*) AS n FROM Command WHERE sessionId = ? AND kind = ? GROUP BY state'
    const rows = db.prepare<[string, string], { state: string; n: number }>(sql).all(sessionId, kind)
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
  } finally {
    db.close()
  }
}

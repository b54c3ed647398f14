/**
 * Session hosts on a disk that fills again and again. The logs of hosts, daemon and hub lie on that disk, too, and have no
 * room left: then a line is missing, and nothing else.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, closeSync, existsSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { eventsOf, tableOf } from '../support/accounts/ledger'
import { freshFolder, repoRoot } from '../support/common/paths'
import { until } from '../support/common/until'
import type { SmallDisk } from '../support/damage/failing-disk'
import { isAlive, StartCommand } from '../support/processes/start-command'
import { endless, fill, noDisk, OnDisks, wordy } from '../support/rigs/on-disks'
import { scriptOf } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'

const on = new OnDisks()
/** Also of a test that timed out. */
const ends: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  await on.end()
})

const ROUNDS = wholeMatrix ? 3 : 2
const BLOCK_BYTES = 4_096
/** The last block of a log takes a few more lines on a full disk: after this, it takes none. */
function endBlock(file: string): void {
  const rest = BLOCK_BYTES - (statSync(file).size % BLOCK_BYTES)
  appendFileSync(file, '.'.repeat(rest))
}

const hostLog = (sessionId: string) => path.join(on.machine.agent.sessionFolder(sessionId), 'host.log')
const hostOf = (sessionId: string) => on.machine.agent.hostPid(sessionId) as number
const isPaused = async (sessionId: string) => (await on.statusOf(sessionId)).status === 'paused'
const isFull = async () => (await on.place.view(on.machine)).disk === 'full'

/** Ends early where the host that shall do it is dead. */
async function goesOn(sessionId: string, host: number): Promise<void> {
  const { length } = on.place.rows(sessionId)
  await until('it to go on', () => !isAlive(host) || on.place.rows(sessionId).length > length + 10)
  await until('it not to be paused', async () => !(isAlive(host) && (await isPaused(sessionId))))
}

/** What is asked of the hub until it finds that its disk is full: the file beside its database may have some room left. */
const LARGE = 'x'.repeat(60_000)

/** All hosts that run now still run at the end of each round. `isFelt`: whoever else should feel that the disk is full does. */
async function fillAgainAndAgain(disk: SmallDisk, sessions: string[], isFelt: () => Promise<boolean>): Promise<void> {
  const hosts = sessions.map(hostOf)
  const alive = { hosts, alive: hosts.map(() => true) }
  const now = () => ({ hosts: sessions.map(hostOf), alive: hosts.map(isAlive) })
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const sessionId of sessions) endBlock(hostLog(sessionId))
    fill(disk)
    await until('it to be felt', isFelt)
    expect({ round, ...now() }, said(sessions)).toEqual({ round, ...alive })
    disk.free()
    for (const [n, sessionId] of sessions.entries()) await goesOn(sessionId, hosts[n] as number)
    expect({ round, ...now() }, said(sessions)).toEqual({ round, ...alive })
  }
}

const said = (sessions: string[]) => sessions.map((id) => readFileSync(hostLog(id), 'utf8').slice(-2_000)).join('\n')

describe.skipIf(noDisk)('a disk that fills again and again, with the logs of the processes on it', () => {
  variation('[F16] [FLOW-2] [FLOW-4] the hosts of sessions that stream live on, and nothing is missing', async () => {
    const disk = on.small(24)
    await on.begin({ agent: disk })
    const sessions = [
      await on.place.begin(on.machine, endless('one')),
      await on.place.begin(on.machine, endless('two')),
    ]
    const viewers = await Promise.all(sessions.map((sessionId) => on.watched(sessionId)))
    await Promise.all(sessions.map((sessionId) => on.streams(sessionId)))
    const { pid } = on.machine.agent
    await fillAgainAndAgain(disk, sessions, async () => {
      const paused = await Promise.all(sessions.map(isPaused))
      return !paused.includes(false) && (await isFull())
    })
    expect(isAlive(pid)).toBe(true)
    for (const [n, sessionId] of sessions.entries()) {
      await on.stop(sessionId)
      await on.noFaults(sessionId, viewers[n])
    }
  })

  variation(
    '[F16] [RES-6] the end of a host that was killed is recorded once there is room, however often nobody could',
    async () => {
      const disk = on.small(24)
      await on.begin({ agent: disk })
      const [lives, dies] = [
        await on.place.begin(on.machine, endless('lives')),
        await on.place.begin(on.machine, wordy('dies')),
      ]
      await Promise.all([on.streams(lives), on.streams(dies)])
      const host = hostOf(lives)
      endBlock(hostLog(lives))
      endBlock(hostLog(dies))
      fill(disk)
      await until('both to be paused', async () => (await isPaused(lives)) && (await isPaused(dies)))
      on.machine.agent.killHost(dies)
      for (const words of ['could not be recorded yet', 'could not be taken over yet'])
        await until(`the daemon to say that it ${words}`, () => {
          fill(disk)
          return (
            on.machine.agent.output.includes(`${dies}: its end ${words}`) ||
            on.machine.agent.output.includes(`${dies}: ${words}`)
          )
        })
      expect(on.place.events(dies).map(({ kind }) => kind)).not.toContain('process_exited')
      disk.free()
      await until('its end', () => on.place.events(dies).some(({ kind }) => kind === 'process_exited'))
      await on.noFaults(dies)
      await goesOn(lives, host)
      expect({ host: hostOf(lives), alive: isAlive(host) }, said([lives])).toEqual({ host, alive: true })
      await on.stop(lives)
      await on.noFaults(lives)
      await on.place.prompt(dies, [{ text: 'Again.' }])
      await until('its answer', () => on.place.texts(dies).includes('Again.'))
    },
  )

  variation('[F16] [F17] [FLOW-2] hub and machine on one disk go on with the same processes', async () => {
    const disk = on.small(32)
    await on.begin({ hub: disk, agent: disk })
    const sessions = [
      await on.place.begin(on.machine, endless('one')),
      await on.place.begin(on.machine, endless('two')),
    ]
    await Promise.all(sessions.map((sessionId) => on.streams(sessionId)))
    const pids = [on.place.hub.pid, on.machine.agent.pid]
    await fillAgainAndAgain(disk, sessions, async () => {
      await on.place.create(on.machine, [{ text: LARGE }]).catch(() => {})
      const full = (await on.ready()) === '503 STORAGE_UNAVAILABLE full' && (await isFull())
      return full && !(await Promise.all(sessions.map(isPaused))).includes(false)
    })
    expect(pids.map(isAlive), on.machine.agent.output).toEqual([true, true])
    for (const sessionId of sessions) {
      await on.stop(sessionId)
      await on.noFaults(sessionId)
    }
    await until('the hub to be well', async () => (await on.ready()) === '200')
  })

  variation(
    '[F16] [F17] [STORE-7] npm start: hub, daemon and hosts go on with the same processes, and the transcript is complete',
    async () => {
      const disk = on.small(40)
      const command = new StartCommand()
      ends.push(
        () => disk.free(),
        () => command.dispose(),
      )
      const [hubData, agentHome] = [path.join(disk.folder, 'hub'), path.join(disk.folder, 'agent')]
      const started = await command.start({ ROUNDHOUSE_DATA_DIR: hubData, ROUNDHOUSE_AGENT_HOME: agentHome })
      await command.makeOwner()
      const client = await command.client()
      const { sessionId, hostPid } = await command.startSession(client, scriptOf(endless('one')))
      const agentId = (await client.rest.agents()).items[0]?.agentId ?? ''
      const settings = { backend: 'scripted', workDir: command.workspace } as const
      const pids = [command.hub.pid, command.daemon.pid, hostPid]
      const folder = path.join(agentHome, 'state/sessions', sessionId)
      const logs = [path.join(hubData, 'hub.log'), path.join(agentHome, 'agent.log'), path.join(folder, 'host.log')]
      const rows = () => tableOf(hubData, sessionId).length
      const status = async () => (await client.rest.snapshot(sessionId, 1)).session.status.status
      const ready = async () => (await fetch(`${command.hub.url}/api/v1/ready`)).ok
      const told: string[] = []
      client.socket.on('storage', ({ state }) => told.push(state))
      await until('it to stream', () => rows() > 10)
      for (let round = 1; round <= ROUNDS; round += 1) {
        logs.forEach(endBlock)
        fill(disk)
        await until('it to be paused', async () => !isAlive(hostPid) || (await status()) === 'paused')
        await until('the hub to say so', async () => {
          await client.rest.createSession({ agentId, settings, prompt: LARGE }).catch(() => {})
          return !(await ready())
        })
        await until('pages to be told', () => told.at(-1) === 'full')
        expect({ round, alive: pids.map(isAlive) }, started.output).toEqual({ round, alive: [true, true, true] })
        disk.free()
        const before = rows()
        await until('the hub to be well', ready)
        await until('pages to be told that, too', () => told.at(-1) === 'ok')
        await until('it to go on', () => !isAlive(hostPid) || rows() > before + 10)
        expect({ round, alive: pids.map(isAlive) }, started.output).toEqual({ round, alive: [true, true, true] })
      }
      const { turnId = '' } = (await client.rest.snapshot(sessionId, 1)).session
      await client.rest.interrupt(sessionId, turnId)
      await until('its turn to end', async () => !(await client.rest.snapshot(sessionId, 1)).session.turnId)
      const said = eventsOf(tableOf(hubData, sessionId)).flatMap((event) =>
        event.kind === 'assistant_text' ? [event.text] : [],
      )
      expect(said).toEqual(said.map((_, n) => `one ${n + 1}`))
      expect([command.hub.pid, command.daemon.pid]).toEqual(pids.slice(0, 2))
      client.close()
    },
  )
})

/** A device on which every write finds a full disk. */
const FULL_DEVICE = '/dev/full'

describe.skipIf(!existsSync(FULL_DEVICE))('a log that takes nothing', () => {
  it('[F17] [STORE-7] a hub with such a log comes up, answers, and ends when it is told to', async () => {
    const [dataDir, log] = [freshFolder('hub'), openSync(FULL_DEVICE, 'w')]
    const env = {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      PORT: '0',
      ROUNDHOUSE_DATA_DIR: dataDir,
    } as const
    const hub = spawn(process.execPath, [path.join(repoRoot, 'apps/hub/dist/server.js')], {
      env,
      stdio: ['ignore', log, log],
    })
    const exited = once(hub, 'exit')
    ends.push(async () => {
      hub.kill('SIGKILL')
      await exited
      closeSync(log)
      rmSync(dataDir, { recursive: true, force: true })
    })
    await until('the hub to be up', () => existsSync(path.join(dataDir, 'hub.json')))
    const { url } = JSON.parse(readFileSync(path.join(dataDir, 'hub.json'), 'utf8'))
    expect((await fetch(`${url}/api/v1/ready`)).status).toBe(200)
    hub.kill('SIGTERM')
    await until('the hub to end', () => hub.exitCode !== null || hub.signalCode !== null)
    expect({ code: hub.exitCode, signal: hub.signalCode }).toEqual({ code: 0, signal: null })
  })
})

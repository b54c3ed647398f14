/**
 * A hub whose disk is full, alone, with a machine on the same disk, and under npm start; and disks that fail. Seen from outside:
 * a state that is said, in which nothing that was printed vanishes, and that ends by itself.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { failingDisk } from '../support/damage/failing-disk'
import { isAlive, StartCommand } from '../support/processes/start-command'
import { endless, fill, noDisk, OnDisks, writing } from '../support/rigs/on-disks'
import { variation } from '../support/rigs/variation'

const on = new OnDisks()
afterEach(() => on.end())

const FULL = '503 STORAGE_UNAVAILABLE full'

describe.skipIf(noDisk)("the hub's disk is full", () => {
  it('[F17] [T89] while a session streams and another asks: it says so and stays, reads, refuses with a code, and goes on by itself', async () => {
    const disk = on.small(24)
    await on.begin({ hub: disk })
    const asks = await on.place.begin(on.machine, writing('asked.txt'))
    const ask = await on.asked(asks)
    const one = await on.place.begin(on.machine, endless('one'))
    const viewer = await on.watched(one)
    await on.streams(one)
    const [{ pid }, daemon] = [on.place.hub, on.machine.agent.pid]
    const before = on.place.hub.output.length
    fill(disk)
    await until('it to say so', async () => (await on.ready()) === FULL, 15_000)
    expect((await on.place.rest.health()).ok).toBe(true)
    const refused = async (asked: Promise<unknown>) =>
      asked.then(
        () => 'taken',
        (error: { code?: string }) => error.code,
      )
    const settings = { backend: 'scripted', workDir: on.machine.workDir } as const
    expect(await refused(on.place.allow(ask))).toBe('STORAGE_UNAVAILABLE')
    expect(await refused(on.place.prompt(one, [{ text: 'More.' }]))).toBe('STORAGE_UNAVAILABLE')
    expect(await refused(on.place.rest.createSession({ agentId: on.machine.agentId, settings }))).toBe(
      'STORAGE_UNAVAILABLE',
    )
    expect((await on.request(asks, ask.requestId))?.decision ?? null).toBe(null)
    expect((await on.place.rest.events(one, { limit: 5 })).events).toHaveLength(5)
    expect((await on.place.rest.sessions()).items).toHaveLength(2)
    const lines = on.place.hub.output
      .slice(before)
      .split('\n')
      .filter((line) => /disk|full|storage/i.test(line))
    expect(lines.length, lines.join('\n')).toBeGreaterThan(0)
    expect(lines.length, lines.join('\n')).toBeLessThan(6)
    expect([isAlive(pid), isAlive(daemon)]).toEqual([true, true])
    disk.free()
    await on.decided(asks, 'asked.txt')
    await on.stop(one)
    await on.noFaults(one, viewer)
    await on.noFaults(asks)
    expect(isAlive(pid)).toBe(true)
  })

  it('[F17] [F1] and it is killed meanwhile: the next one comes up, or waits for room, and has all of it', async () => {
    const disk = on.small(24)
    await on.begin({ hub: disk })
    const one = await on.place.begin(on.machine, endless('one'))
    await on.streams(one)
    fill(disk)
    await until('the machine to be ahead', () => on.place.log(on.machine, one).length > on.place.rows(one).length + 20)
    await on.place.hub.kill()
    const back = on.place.hub.start()
    const waits = until('the hub to wait for room', () =>
      on.place.hub.output.includes('cannot write to the data folder'),
    )
    const first = await Promise.race([back.then(() => 'up'), waits.then(() => 'waits')])
    expect(isAlive(on.place.hub.pid), on.place.hub.output).toBe(true)
    if (first === 'up') expect((await on.place.rest.events(one, { limit: 5 })).events).toHaveLength(5)
    disk.free()
    await back
    await on.stop(one)
    await on.noFaults(one)
  })
})

describe('a disk that fails', () => {
  variation(
    '[F16] [F17] with I/O errors at the machine, and then at the hub, while a session streams and another asks: both stay, and nothing is missing',
    async () => {
      const [agentHome, hubData] = [freshFolder('agent'), freshFolder('hub')]
      const [agentDisk, hubDisk] = [failingDisk(agentHome), failingDisk(hubData)]
      if (typeof agentDisk === 'string') throw new Error(agentDisk)
      if (typeof hubDisk === 'string') throw new Error(hubDisk)
      try {
        await on.begin({ agentHome, hubData, env: agentDisk.env, hubEnv: hubDisk.env })
        const asks = await on.place.begin(on.machine, writing('asked.txt'))
        const ask = await on.asked(asks)
        const one = await on.place.begin(on.machine, endless('one'))
        const viewer = await on.watched(one)
        await on.streams(one)
        const pids = [on.place.hub.pid, on.machine.agent.pid]
        agentDisk.fails()
        await on.place.allow(ask).catch(() => {})
        const { length } = on.place.rows(one)
        await until(
          'the hub to hear no more, or the machine to be gone',
          async () => {
            const { status } = await on.statusOf(one)
            return status === 'paused' || !isAlive(pids[1] as number)
          },
          10_000,
        ).catch(() => {})
        expect(on.written('asked.txt') && !on.outcomes(asks).includes('applied')).toBe(false)
        agentDisk.heals()
        await until('it to go on', () => on.place.rows(one).length > length + 5)
        hubDisk.fails()
        await until(
          'the machine to be ahead',
          () => on.place.log(on.machine, one).length > on.place.rows(one).length + 20,
        )
        hubDisk.heals()
        expect(pids.map(isAlive), on.machine.agent.output).toEqual([true, true])
        await on.decided(asks, 'asked.txt')
        await on.stop(one)
        await on.noFaults(one, viewer)
        await on.noFaults(asks)
      } finally {
        agentDisk.heals()
        hubDisk.heals()
        await on.end()
        agentDisk.close()
        hubDisk.close()
      }
    },
  )
})

describe.skipIf(noDisk)('npm start', () => {
  variation(
    '[FLOW-4] [STORE-7] on a full disk, where its logs have no room either: hub and agent stay, and go on when there is room',
    async () => {
      const disk = on.small(24)
      const command = new StartCommand()
      try {
        const where = {
          ROUNDHOUSE_DATA_DIR: path.join(disk.folder, 'hub'),
          ROUNDHOUSE_AGENT_HOME: path.join(disk.folder, 'agent'),
        }
        const started = await command.start(where)
        const read = (file: string) => JSON.parse(readFileSync(path.join(disk.folder, file), 'utf8'))
        const hub = read('hub/hub.json')
        const { pid } = read('agent/state/daemon.json')
        await command.makeOwner()
        const { rest } = await command.client()
        const [machine] = (await rest.agents()).items
        const settings = { backend: 'scripted', workDir: command.workspace } as const
        const begin = () =>
          rest.createSession({ agentId: machine?.agentId ?? '', settings, prompt: 'x'.repeat(100_000) })
        for (let n = 0; n < 3; n += 1) {
          // What its database still has room for is taken, too, until it says that there is none.
          await until('the hub to refuse', async () => {
            fill(disk)
            const refused = await begin().then(
              () => null,
              (error: { code?: string }) => error.code,
            )
            return refused === 'STORAGE_UNAVAILABLE'
          })
          expect([hub.pid, pid].map(isAlive), started.output).toEqual([true, true])
          disk.free()
          await until('the hub to be ready', async () => (await fetch(`${hub.url}/api/v1/ready`)).ok)
        }
        expect([hub.pid, pid].map(isAlive), started.output).toEqual([true, true])
      } finally {
        disk.free()
        await command.dispose()
      }
    },
  )
})

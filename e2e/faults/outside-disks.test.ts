import { afterEach, describe, expect } from 'vitest'
import { until } from '../support/common/until'
import { isAlive } from '../support/processes/start-command'
import { aCode, endless, fill, noDisk, OnDisks, saysDisk, wordy, writing } from '../support/rigs/on-disks'
import { variation } from '../support/rigs/variation'

const on = new OnDisks()
afterEach(() => on.end())

describe.skipIf(noDisk)("the machine's disk is full", () => {
  variation(
    '[F16] [FLOW-2] [PERM-1] while sessions stream and one asks: it is said, new work is refused with a code, nothing is missing afterwards',
    async () => {
      const disk = on.small(24)
      await on.begin({ agent: disk })
      const rests = await on.resting('Resting.')
      const asks = await on.place.begin(on.machine, writing('asked.txt'))
      const ask = await on.asked(asks)
      const [one, two] = [
        await on.place.begin(on.machine, endless('one')),
        await on.place.begin(on.machine, endless('two')),
      ]
      const [seenOne, seenTwo] = [await on.watched(one), await on.watched(two)]
      await Promise.all([on.streams(one), on.streams(two)])
      const { pid } = on.machine.agent
      expect(await on.words()).not.toMatch(saysDisk)
      fill(disk)
      await until('the first to be paused', async () => (await on.statusOf(one)).status === 'paused')
      await until('the second to be paused', async () => (await on.statusOf(two)).status === 'paused')
      expect(await on.statusOf(one)).toEqual({ status: 'paused', why: 'disk' })
      await until("the machine's page to say so", async () => saysDisk.test(await on.words()), 15_000)
      expect(await on.fate(on.place.create(on.machine, [{ text: 'New.' }]))).toMatch(aCode)
      expect(await on.fate(on.place.prompt(rests, [{ text: 'More.' }]))).toMatch(aCode)
      await on.place.allow(ask).catch(() => {})
      for (let n = 0; n < 10; n += 1) {
        const shown = await on.request(asks, ask.requestId)
        expect(shown?.outcome).toBe('open')
        expect(['accepted', 'done']).not.toContain(shown?.decision?.commandState)
        expect(on.written('asked.txt')).toBe(false)
        expect({ online: (await on.place.view(on.machine)).online, alive: isAlive(pid) }).toEqual({
          online: true,
          alive: true,
        })
      }
      disk.free()
      await on.decided(asks, 'asked.txt')
      await on.stop(one)
      await on.stop(two)
      await on.noFaults(one, seenOne)
      await on.noFaults(two, seenTwo)
      await on.noFaults(asks)
      await until("the machine's page to be calm", async () => !saysDisk.test(await on.words()))
      expect(await on.fate(on.place.prompt(rests, [{ text: 'Now.' }]))).not.toContain('refused')
      await until('its answer', () => on.place.texts(rests).includes('Now.'))
      await on.noFaults(rests)
      expect(isAlive(pid)).toBe(true)
    },
  )

  variation(
    '[F16] [SES-2] while sessions are created, with a little less room each time: each is refused with a code or lives',
    async () => {
      const disk = on.small(24)
      await on.begin({ agent: disk })
      const { pid } = on.machine.agent
      const made: Array<{ name: string; sessionId?: string; fate: string }> = []
      for (const leave of [200_000, 90_000, 36_000, 9_000, 0]) {
        fill(disk, leave)
        const round = await Promise.all(
          [0, 1].map(async (n) => {
            const name = `made ${leave} ${n}`
            const asked = on.place.create(on.machine, [{ text: name }])
            const sessionId = await asked.then((one) => one.sessionId).catch(() => undefined)
            return { name, ...(sessionId ? { sessionId } : {}), fate: await on.fate(asked, 3_000) }
          }),
        )
        made.push(...round)
        expect({ leave, alive: isAlive(pid) }, on.machine.agent.output).toEqual({ leave, alive: true })
        disk.free()
      }
      for (const one of made) {
        if (one.fate.startsWith('refused')) expect(one.fate).toMatch(aCode)
        else {
          const { sessionId = '', name } = one
          await until(
            `${name}, which was ${one.fate}, to answer`,
            () => on.place.texts(sessionId).includes(name),
            60_000,
          )
          await on.noFaults(sessionId)
        }
      }
      await until("the machine's page to be calm", async () => !saysDisk.test(await on.words()))
      const after = await on.place.begin(on.machine, [{ text: 'After.' }])
      await until('another one', () => on.place.texts(after).includes('After.'))
      expect(isAlive(pid)).toBe(true)
    },
  )

  variation(
    '[F16] [PERM-2] while decisions are on their way: each is applied once, and none is shown as taken before',
    async () => {
      const disk = on.small(24)
      await on.begin({ agent: disk })
      const files = ['a.txt', 'b.txt', 'c.txt']
      const asking = await Promise.all(files.map((file) => on.place.begin(on.machine, writing(file))))
      const asks = await Promise.all(asking.map((sessionId) => on.asked(sessionId)))
      const { pid } = on.machine.agent
      // The first is on its way when the disk fills, the second meets a full disk, the third one that is full now and then.
      const first = on.place.allow(asks[0] as (typeof asks)[0]).catch(() => {})
      fill(disk)
      await first
      await on.place.allow(asks[1] as (typeof asks)[0]).catch(() => {})
      const taken = asking.map(async (sessionId, n) => {
        const shown = await on.request(sessionId, asks[n]?.requestId ?? '')
        return shown?.outcome === 'applied' && !on.written(files[n] ?? '')
      })
      expect(await Promise.all(taken)).toEqual([false, false, false])
      for (let n = 0; n < 6; n += 1) {
        disk.free()
        if (n === 3) await on.place.allow(asks[2] as (typeof asks)[0]).catch(() => {})
        fill(disk)
      }
      expect(isAlive(pid), on.machine.agent.output).toBe(true)
      disk.free()
      for (const [n, sessionId] of asking.entries()) await on.decided(sessionId, files[n] ?? '')
      for (const sessionId of asking) await on.noFaults(sessionId)
      expect(isAlive(pid)).toBe(true)
    },
  )

  variation(
    '[F16] [RES-1] [RES-6] while daemon and host are killed: it comes back on the full disk, and all goes on when there is room',
    async () => {
      const disk = on.small(24)
      await on.begin({ agent: disk })
      const [lives, dies] = [
        await on.place.begin(on.machine, endless('lives')),
        await on.place.begin(on.machine, wordy('dies')),
      ]
      const viewer = await on.watched(lives)
      await Promise.all([on.streams(lives), on.streams(dies)])
      fill(disk)
      await until('it to be paused', async () => (await on.statusOf(lives)).status === 'paused')
      await on.machine.agent.kill()
      on.machine.agent.killHost(dies)
      on.machine.agent.launch(on.machine.up)
      await until('the machine to be back', async () => (await on.place.view(on.machine)).online, 20_000).catch(
        () => {},
      )
      const alive = isAlive(on.machine.agent.pid)
      disk.free()
      expect(alive, on.machine.agent.output).toBe(true)
      await until('the machine to be back', async () => (await on.place.view(on.machine)).online)
      await on.stop(lives)
      await on.noFaults(lives, viewer)
      await on.noFaults(dies)
      await on.place.prompt(dies, [{ text: 'Again.' }])
      await until('its answer', () => on.place.texts(dies).includes('Again.'))
    },
  )

  variation(
    '[FLOW-4] [LOG-7] while a host is killed under a daemon that lives: its turn ends when there is room, and the next prompt goes on',
    async () => {
      const disk = on.small(24)
      await on.begin({ agent: disk })
      const dies = await on.place.begin(on.machine, wordy('dies'))
      await on.streams(dies)
      fill(disk)
      await until('it to be paused', async () => (await on.statusOf(dies)).status === 'paused')
      on.machine.agent.killHost(dies)
      await until('the daemon to miss it', () => on.machine.agent.output.includes('session host died'))
      await until('it to have tried to record that', () => on.machine.agent.output.includes('recorded'), 5_000).catch(
        () => {},
      )
      disk.free()
      await on.noFaults(dies)
      await on.place.prompt(dies, [{ text: 'Again.' }])
      await until('its answer', () => on.place.texts(dies).includes('Again.'))
    },
  )
})

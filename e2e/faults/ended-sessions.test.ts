/**
 * A hub that runs for months has seen very many sessions begin and end. What rests lies in its file and not in its memory.
 * ROUNDHOUSE_ENDED chooses how many (20,000 for the figure in docs/reliability.md).
 */
import { expect, it } from 'vitest'
import { until } from '../support/common/until'
import { Heap, inspected } from '../support/processes/heap'
import { PlayedMachine } from '../support/rigs/played-machine'
import { hubOfFile } from '../support/wire/hub-of-file'

const SESSIONS = Number(process.env.ROUNDHOUSE_ENDED ?? 300)
const AT_ONCE = 8
const ROUNDS = 3
const ends = ['asleep', 'stopped', 'crashed'] as const

const own = hubOfFile('ended-sessions', { env: inspected })

it(
  `[LINK-5.5] [BAD-4] ${SESSIONS} sessions that begin and end leave the hub's memory as it was`,
  async ({ onTestFinished }) => {
    const { hub, web } = own
    const heap = await Heap.of(() => hub.output)
    // A process does not end before its debugger has left.
    onTestFinished(() => heap.close())
    const { rest, close } = await hub.client()
    const machine = await PlayedMachine.join(web, (await rest.makeEnrollmentToken({})).token)
    const { agentId } = machine
    const settings = { backend: 'scripted', workDir: '/code' }
    const last = new Map<string, string>()

    async function playOne(n: number): Promise<void> {
      const { sessionId, commandId } = await rest.createSession({ agentId, settings, prompt: `Number ${n}.` })
      const end = ends[n % ends.length] ?? 'asleep'
      await machine.play(sessionId, commandId, end)
      last.set(end, sessionId)
    }
    async function play(count: number): Promise<void> {
      let left = count
      const one = async () => {
        for (; left > 0; ) await playOne(left--)
      }
      await Promise.all(Array.from({ length: AT_ONCE }, one))
      await atRest()
    }
    const wordOf = async (end: string) => {
      const { status, lastLine } = (await rest.snapshot(last.get(end) ?? '', 1)).session
      return [status.status, 'why' in status ? status.why : '', lastLine]
    }
    async function atRest(): Promise<void> {
      const line = 'Word by word it comes.'
      await until('the hub to have heard of all', async () => (await wordOf('asleep'))[0] === 'resumable')
      expect(await wordOf('asleep')).toEqual(['resumable', 'idle', line])
      expect(await wordOf('stopped')).toEqual(['ended', 'stopped', line])
      expect(await wordOf('crashed')).toEqual(['resumable', 'process_exited', line])
      expect((await rest.snapshot(last.get('asleep') ?? '', 1)).openBlocks).toEqual([])
    }

    await play(320) // what is made once, and more than the store remembers
    // A leak grows in every round; what is made once by chance does not.
    let least = Number.POSITIVE_INFINITY
    for (let round = 0; round < ROUNDS && least >= 0.5; round++) {
      const before = await heap.level()
      await play(SESSIONS)
      const after = await heap.level()
      const each = {
        objects: (after.objects - before.objects) / SESSIONS,
        bytes: Math.round((after.bytes - before.bytes) / SESSIONS),
      }
      console.log(`${SESSIONS} sessions: ${JSON.stringify({ before, after, each })}`)
      least = Math.min(least, each.objects)
    }
    expect(least).toBeLessThan(0.5)
    machine.close()
    heap.close()
    // What the row says of it outlives the hub.
    await hub.kill()
    await hub.start()
    await atRest()
    close()
  },
  ROUNDS * SESSIONS * 100 + 120_000,
)

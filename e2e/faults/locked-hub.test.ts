/**
 * Another program keeps the hub's database locked while several machines stream. The hub knows that after the first write
 * that waited; it serves everybody who only reads as if nothing were wrong.
 */
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { HubRest } from '@roundhouse/hub-client'
import Database from 'better-sqlite3'
import { afterEach, expect, it } from 'vitest'
import { tableOf } from '../support/accounts/ledger'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { HubProcess } from '../support/processes/hub-process'
import { PlayedMachine } from '../support/rigs/played-machine'
import { envelope } from '../support/wire/raw-events'
import { RawWeb } from '../support/wire/raw-web'

const MACHINES = 8
const LOCKED_MS = 6_000
/** Half of what one write waits for a lock: what is measured is compared with the same machine before. */
const PART_OF_A_WAIT_MS = 125
/** Sooner than a real agent tries again. */
const AGAIN_MS = 100

const closing: Array<() => Promise<void> | void> = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

it(`[STORE-7.8] [T89] health and reads are answered without pauses while ${MACHINES} machines stream into a locked database`, async () => {
  const hub = new HubProcess(freshFolder('locked'))
  await hub.start()
  closing.push(() => hub.stop())
  await hub.makeOwner()
  const { rest, close } = await hub.client()
  closing.push(close)
  const streams = await Promise.all(Array.from({ length: MACHINES }, () => Stream.begin(hub, rest)))
  closing.push(() => Promise.all(streams.map((stream) => stream.end())).then(() => {}))
  await until('streams', () => streams.every(({ taken }) => taken > 5))

  const usual = await timesOf(() => rest.health(), 3_000)
  const other = new Database(path.join(hub.dataDir, 'hub.db'), { timeout: 20_000 })
  closing.push(() => void other.close())
  other.exec('BEGIN IMMEDIATE')
  await until('the hub to know', () =>
    rest
      .ready()
      .then(() => false)
      .catch(() => true),
  )
  const [health, reads] = await Promise.all([
    timesOf(() => rest.health()),
    timesOf(() => rest.snapshot(streams[0]?.sessionId ?? '', 5)),
  ])
  console.log(JSON.stringify({ usual, health, reads, refused: streams.map(({ refused }) => refused) }))
  expect(Math.min(...streams.map(({ refused }) => refused))).toBeGreaterThan(5)
  // With a wait for each try the hub served others a few times in all of this.
  for (const { median } of [health, reads]) expect(median - usual.median).toBeLessThan(PART_OF_A_WAIT_MS)

  other.exec('ROLLBACK')
  await until('the hub to go on by itself', () => rest.ready().catch(() => null))
  const taken = streams.map((stream) => stream.taken)
  await until('each stream to go on', () => streams.every((stream, n) => stream.taken > (taken[n] ?? 0) + 5))
  for (const stream of streams) {
    await stream.end()
    const rows = tableOf(hub.dataDir, stream.sessionId)
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: stream.taken }, (_, index) => index + 1))
  }
})

/** How long the answers took, asked one behind the other. */
async function timesOf(ask: () => Promise<unknown>, forMs = LOCKED_MS) {
  const times: number[] = []
  const end = performance.now() + forMs
  while (performance.now() < end) {
    const began = performance.now()
    await ask()
    times.push(Math.round(performance.now() - began))
    await pause(20)
  }
  times.sort((a, b) => a - b)
  return { count: times.length, median: times[times.length >> 1] ?? 0, longest: times.at(-1) ?? 0 }
}

/** A machine with one session that prints on and on; what the hub refuses it sends again. */
class Stream {
  taken = 0
  refused = 0
  #over = false
  #running: Promise<void> = Promise.resolve()

  private constructor(
    private readonly machine: PlayedMachine,
    readonly sessionId: string,
  ) {}

  static async begin(hub: HubProcess, rest: HubRest): Promise<Stream> {
    const machine = await PlayedMachine.join(new RawWeb(hub), (await rest.makeEnrollmentToken({})).token)
    const settings = { backend: 'scripted', workDir: '/code' } as const
    const made = await rest.createSession({ agentId: machine.agentId, settings, prompt: 'On and on.' })
    await machine.play(made.sessionId, made.commandId, 'asleep')
    const stream = new Stream(machine, made.sessionId)
    stream.taken = tableOf(hub.dataDir, made.sessionId).length
    stream.#running = stream.#print()
    return stream
  }

  async #print(): Promise<void> {
    const { sessionId } = this
    const logId = `log_${sessionId}`
    while (!this.#over) {
      const seq = this.taken + 1
      const text = { kind: 'assistant_text', turnId: 't', procId: 'p', blockId: `b_${seq}`, text: `Line ${seq}.` }
      const events = [envelope(text, { seq })]
      this.machine.tell('clock', { now: Date.now() })
      try {
        await this.machine.ask('events', { sessionId, logId, events })
        this.taken = seq
      } catch (error) {
        if (!String(error).includes('STORAGE_UNAVAILABLE')) throw error
        this.refused += 1
      }
      await pause(AGAIN_MS)
    }
  }

  async end(): Promise<void> {
    this.#over = true
    await this.#running
    this.machine.close()
  }
}

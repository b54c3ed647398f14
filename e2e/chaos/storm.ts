/** One fault after another, chosen by the seed. Nothing is waited for but the restart of what was killed. */
import { setTimeout as wait } from 'node:timers/promises'
import type { JudgeFrame } from '../support/wire/frame-proxy'
import type { Weather } from '../support/wire/tcp-proxy'
import type { World } from './world'

export type Fault = [name: string, weight: number, strike: () => Promise<void>]

const weathers: Weather[] = [
  { latencyMs: 60, jitterMs: 150 },
  { sliceBytes: 11 },
  { bytesPerSecond: 60_000, sliceBytes: 1_400 },
  { resetAfterBytes: 20_000 },
]

export class Storm {
  readonly struck = new Map<string, number>()
  readonly #world: World
  readonly #random: (below: number) => number
  readonly #more: readonly Fault[]

  /** `more`: faults beside those that are always there. */
  constructor(world: World, random: (below: number) => number, more: readonly Fault[] = []) {
    this.#world = world
    this.#random = random
    this.#more = more
  }

  get total(): number {
    return [...this.struck.values()].reduce((sum, count) => sum + count, 0)
  }

  async rageUntil(end: number): Promise<void> {
    const urn = this.#faults().flatMap((fault) => Array.from({ length: fault[1] }, () => fault))
    while (performance.now() < end) {
      const [name, , strike] = urn[this.#random(urn.length)] as Fault
      this.struck.set(name, (this.struck.get(name) ?? 0) + 1)
      await strike()
      await wait(100 + this.#random(1_500))
    }
  }

  /** Clear sky. Whatever was killed has been started again already. */
  calm(): void {
    this.#world.frames.judge(() => null)
    this.#world.network.heal()
  }

  #faults(): Fault[] {
    const { hub, network, frames } = this.#world
    const lane = () => (this.#random(3) === 0 ? 'viewer' : 'agent')
    return [
      ['hub killed', 4, () => this.#killHub()],
      ['daemon killed', 5, async () => this.#killDaemon(this.#machine())],
      ['host killed', 5, async () => void this.#killHost()],
      ['program killed', 4, async () => this.#killProgram()],
      [
        'everything killed',
        1,
        async () => {
          for (const { process } of this.#world.machines) for (const id of process.sessionIds()) process.killHost(id)
          await Promise.all([hub.kill(), ...this.#world.machines.map(({ process }) => process.kill())])
          await hub.start()
          for (const { process } of this.#world.machines) process.launch()
        },
      ],
      ['links reset', 4, async () => network.reset(lane())],
      [
        'bad weather',
        5,
        async () => {
          const weather = weathers[this.#random(weathers.length)] ?? {}
          network.set(this.#random(2) === 0 ? 'in' : 'out', weather, lane())
        },
      ],
      [
        'black hole',
        2,
        async () => {
          const where = lane()
          network.set('both', { swallow: true }, where)
          await wait(1_000 + this.#random(5_000))
          network.set('both', {}, where)
          network.reset(where)
        },
      ],
      ['frames doubled, late', 3, async () => frames.judge(this.#random(2) === 0 ? () => null : this.#mixed())],
      ...this.#more,
    ]
  }

  #machine() {
    const { machines } = this.#world
    const machine = machines[this.#random(machines.length)]
    if (!machine) throw new Error('there are no machines')
    return machine
  }

  #session() {
    const { sessions } = this.#world
    const session = sessions[this.#random(sessions.length)]
    if (!session) throw new Error('there are no sessions')
    return session
  }

  async #killHub(): Promise<void> {
    await this.#world.hub.kill()
    await this.#world.hub.start()
  }

  async #killDaemon({ process }: { process: World['machines'][number]['process'] }): Promise<void> {
    await process.kill()
    process.launch()
  }

  #killHost(): void {
    const { sessionId, machine } = this.#session()
    machine.process.killHost(sessionId)
  }

  #killProgram(): void {
    const { sessionId, machine } = this.#session()
    const pid = machine.process.backendPid(sessionId)
    try {
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }

  /** Batches, commands and what viewers hear: some twice, some late. Handshakes pass, or nothing would ever begin. */
  #mixed(): JudgeFrame {
    const random = this.#random
    return (_direction, text) => {
      if (!/\["(events|live|command|session|heads)"/.test(text)) return null
      const dice = random(8)
      if (dice === 0) return { times: 2 }
      return dice === 1 ? { after: 1 + random(3) } : null
    }
  }
}

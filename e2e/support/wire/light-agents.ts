/**
 * Many agents that consist only of their keys and links: each says hello, reports no session, and reconnects with the
 * pauses of LINK-4. A thousand of them fit into one process.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { HubRest } from '@roundhouse/hub-client'
import WebSocket from 'ws'
import { hello, RawAgent } from './raw-socket'
import type { RawWeb } from './raw-web'

const ANSWER_MS = 4_000
const ENROLLED_AT_ONCE = 8

export class LightAgents {
  readonly #agents: LightAgent[] = []

  static async join(web: RawWeb, rest: HubRest, count: number): Promise<LightAgents> {
    const crowd = new LightAgents()
    const joinSome = async () => {
      while (crowd.#agents.length < count) {
        const agent = new LightAgent(web)
        crowd.#agents.push(agent)
        const answer = await agent.enroll((await rest.makeEnrollmentToken({})).token)
        if (answer.status !== 201) throw new Error(`a light agent was not enrolled: ${answer.status} ${answer.body}`)
      }
    }
    await Promise.all(Array.from({ length: ENROLLED_AT_ONCE }, joinSome))
    return crowd
  }

  start(): void {
    for (const agent of this.#agents) agent.start()
  }

  stop(): void {
    for (const agent of this.#agents) agent.stop()
  }

  get online(): number {
    return this.#agents.filter(({ online }) => online).length
  }

  /** When each connected last, by `performance.now()`. */
  get onlineAt(): number[] {
    return this.#agents.map(({ onlineAt }) => onlineAt)
  }

  /** When the hub first answered each of them, since `forget`. */
  get foundAt(): number[] {
    return this.#agents.map(({ foundAt }) => foundAt)
  }

  /** Attempts that were made, and how many of them were told to come later. */
  get attempts(): { made: number; told: number } {
    const sum = (of: (agent: LightAgent) => number) => this.#agents.reduce((total, agent) => total + of(agent), 0)
    return { made: sum(({ made }) => made), told: sum(({ told }) => told) }
  }

  forget(): void {
    for (const agent of this.#agents) agent.forget()
  }
}

class LightAgent extends RawAgent {
  online = false
  onlineAt = 0
  foundAt = Number.POSITIVE_INFINITY
  made = 0
  told = 0
  #failures = 0
  #stopped = false
  #link: WebSocket | null = null

  readonly #web: RawWeb

  constructor(web: RawWeb) {
    super(web)
    this.#web = web
  }

  forget(): void {
    this.foundAt = Number.POSITIVE_INFINITY
    this.made = 0
    this.told = 0
  }

  start(): void {
    void this.#run()
  }

  stop(): void {
    this.#stopped = true
    this.#link?.terminate()
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const toldMs = await this.#connect().catch(() => null)
      this.online = false
      if (toldMs !== null) this.told += 1
      if (!this.#stopped) await wait(toldMs ?? this.#pause(), undefined, { ref: false })
    }
  }

  #pause(): number {
    this.#failures += 1
    const ceiling = Math.min(3_000, 400 * 2 ** Math.max(0, this.#failures - 3))
    return (ceiling * (1 + Math.random())) / 2
  }

  /** Until the link ends. Resolves to how long the hub asked to wait. */
  async #connect(): Promise<number | null> {
    this.made += 1
    const asked = await Promise.race([this.headersOrWait(this.#web.origin), late()])
    this.foundAt = Math.min(this.foundAt, performance.now())
    if (typeof asked === 'number') return asked
    const headers = { host: `localhost:${this.#web.hub.port}`, ...asked }
    const socket = new WebSocket(`ws://127.0.0.1:${this.#web.hub.port}/socket.io/?EIO=4&transport=websocket`, {
      headers,
    })
    this.#link = socket
    const closed = new Promise<null>((resolve) => socket.once('close', () => resolve(null)))
    socket.on('error', () => {})
    socket.on('message', (data) => this.#hear(socket, String(data)))
    return closed
  }

  #hear(socket: WebSocket, text: string): void {
    const welcome = '42/agent,["welcome",'
    if (text === '2') socket.send('3')
    else if (text.startsWith('0{')) socket.send('40/agent,')
    else if (text.startsWith(welcome)) {
      const { chain } = JSON.parse(text.slice(welcome.length, -1)) as { chain: string }
      const said = { ...hello, chain: this.showChain(chain), now: Date.now() }
      socket.send(`42/agent,1["hello",${JSON.stringify(said)}]`)
    } else if (text.startsWith('43/agent,1[{"ok":true')) {
      socket.send('42/agent,2["sessions",{"sessions":[],"last":true}]')
    } else if (text.startsWith('43/agent,2[{"ok":true')) {
      this.#failures = 0
      this.online = true
      this.onlineAt = performance.now()
    }
  }
}

async function late(): Promise<never> {
  await wait(ANSWER_MS, undefined, { ref: false })
  throw new Error('no answer')
}

/** A whole hub without pages: real SQLite in a temporary folder, real sockets on port 0, the clock in the test's hand. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClientAddress } from '../auth/client-address'
import { type Accounts, type Actor, type Core, type CoreDeps, createCore } from '../core'
import type { Standing, StandingOf } from '../core/access/standing'
import type { BotChecker } from '../core/ports/channels/bot-checker'
import { createGateway, type Gateway, type ViewerLogin } from '../gateway'
import { newHubEpoch, type StoreOptions } from '../store/sqlite'
import { FakeAgent } from './fake-agent'
import { withStandings } from './fake-standing'
import { anyBot, plainKeeper, plainSecrets } from './plain-keeper'
import type { SlowReads } from './slow-reads'
import { openTestStore, type TestStore } from './test-store'
import { TestViewer } from './test-viewer'
import { Waiter } from './waiter'

/** All that were enrolled by a test's hub: shared with Ben and with Vic. */
const machines = new Set<string>()
const person = (name: string, role: Actor['role'], agents: Actor['agents']): Actor => {
  const userId = `u_${name.toLowerCase()}`
  return { userId, name, role, agents, credential: { kind: 'login', id: `${userId}-1` } }
}
export const ana = person('Ana', 'owner', null)
export const ben = person('Ben', 'operator', machines)
export const vic = person('Vic', 'viewer', machines)
export const nobody: CoreDeps['outbound'] = {
  refusal: () => null,
  post: async () => ({ kind: 'failed', failure: 'connect' }),
}
const noAccounts = { create: () => Promise.reject(new Error('no')), hash: () => Promise.reject(new Error('no')) }

export interface TestHubOptions {
  /** A database that an earlier hub left behind. */
  file?: string
  failpoint?: StoreOptions['failpoint']
  onStatement?: StoreOptions['onStatement']
  onWritten?: StoreOptions['onWritten']
  now?: () => number
  /** The clock that never goes back. The other one, where a test has only that. */
  elapsed?: () => number
  /** Keeps passwords; nobody gets one without it. */
  accounts?: Accounts
  busBudget?: CoreDeps['busBudget']
  busKeeps?: CoreDeps['busKeeps']
  /** Takes what the hub sends; nothing arrives without it. */
  outbound?: CoreDeps['outbound']
  /** Whose token it is. */
  bots?: BotChecker
  /** Between the hub and its store. */
  slow?: SlowReads | undefined
}

type Clocks = Required<Pick<TestHubOptions, 'now' | 'elapsed'>>

export class TestHub {
  readonly store: TestStore
  readonly core: Core
  readonly gateway: Gateway
  readonly server: Server
  readonly warnings: Array<Record<string, unknown>> = []
  readonly waiter = new Waiter()
  /** Who may sign in, by id; a test changes it. */
  readonly people = new Map([ana, ben, vic].map((actor) => [actor.userId, actor]))
  /** Logins that were ended. What a viewer shows here is the id of its login. */
  readonly endedLogins = new Set<string>()
  #keys = 0
  #agents: FakeAgent[] = []
  #viewers: TestViewer[] = []

  private constructor(
    store: TestStore,
    server: Server,
    options: Clocks &
      Pick<TestHubOptions, 'slow' | 'busBudget' | 'busKeeps' | 'outbound' | 'bots'> & { accounts: Accounts },
  ) {
    const { now, elapsed, accounts, slow, busBudget, busKeeps, outbound = nobody } = options
    this.store = store
    this.server = server
    const warn = (facts: Record<string, unknown>, message: string) => {
      this.warnings.push({ ...facts, message })
      this.waiter.look()
    }
    const stored = withStandings(store, (of) => this.#standing(of))
    this.core = createCore({
      ...store,
      ...stored,
      reads: slow?.wrap(stored.reads) ?? stored.reads,
      accounts,
      keeper: plainKeeper,
      secretKeeper: plainSecrets,
      outbound,
      bots: options.bots ?? anyBot,
      hubUrls: () => [this.url],
      newHubEpoch,
      now,
      elapsed,
      log: { info: () => {}, warn, error: warn },
      ...(busBudget ? { busBudget } : {}),
      ...(busKeeps ? { busKeeps } : {}),
    })
    this.gateway = createGateway({
      server,
      core: this.core,
      authenticate: async ({ proof = '', authorization }) =>
        authorization ? this.core.account.byToken(authorization.replace('Bearer ', '')) : this.#loginOf(proof),
      nonce: () => '',
      addressOf: createClientAddress(['127.0.0.1']), // tests come from elsewhere by saying so
      judgeViewer: (_host, origin) => (origin === this.url ? null : 'ORIGIN_NOT_ALLOWED'),
      judgeAgent: (_host, origin) => (origin === undefined ? null : 'ORIGIN_NOT_ALLOWED'),
      log: { warn },
      timers: false,
    })
  }

  static async start(options: TestHubOptions = {}): Promise<TestHub> {
    const {
      now = Date.now,
      elapsed = now,
      accounts = noAccounts,
      slow,
      busBudget,
      busKeeps,
      outbound,
      bots,
      ...rest
    } = options
    const store = await openTestStore(rest)
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new TestHub(store, server, {
      now,
      elapsed,
      accounts,
      slow,
      busBudget,
      busKeeps,
      ...(outbound ? { outbound } : {}),
      ...(bots ? { bots } : {}),
    })
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** Looked at after every line of the log. */
  until(test: () => boolean): Promise<void> {
    return this.waiter.until(test)
  }

  #standing({ kind, id }: StandingOf): Standing | null {
    const actor = this.people.get(id.split('-')[0] ?? '')
    if (!actor || kind === 'token' || this.endedLogins.has(id)) return null
    const { userId, role, agents } = actor
    return { userId, role, banned: false, shared: [...(agents ?? [])], scopes: null, expiresAt: null }
  }

  key = () => `key-${++this.#keys}`

  /** At once, for what is waited on. */
  commandState = (commandId: string) => this.store.now.commands.find(commandId)?.state

  /** Enrolled, not yet connected. */
  async enrol(name = 'box'): Promise<FakeAgent> {
    const { token } = await this.core.agents.makeToken(ana, { name }, this.key())
    const agent = new FakeAgent(this.core, this.url)
    await agent.enrol(token, name)
    machines.add(agent.agentId)
    this.#agents.push(agent)
    return agent
  }

  async connectedAgent(name = 'box'): Promise<FakeAgent> {
    const agent = await this.enrol(name)
    await agent.connect()
    return agent
  }

  /** Same keys and disk, against this hub. */
  adopt(agent: FakeAgent): FakeAgent {
    const copy = agent.copyFor(this.core, this.url)
    this.#agents.push(copy)
    return copy
  }

  #loginOf(loginId: string): ViewerLogin | null {
    const actor = this.people.get(loginId.split('-')[0] ?? '')
    if (!actor || this.endedLogins.has(loginId)) return null
    return { actor: { ...actor, credential: { kind: 'login', id: loginId } }, loginId }
  }

  async viewer(actor: Actor = ana, login = `${actor.userId}-1`): Promise<TestViewer> {
    const viewer = new TestViewer(this.url, { origin: this.url }, { proof: login })
    this.#viewers.push(viewer)
    await viewer.connected()
    return viewer
  }

  /** Nothing is written until `release`, as on a disk that does not answer. */
  async holdGate(): Promise<{ release: () => Promise<void> }> {
    let release = () => {}
    let started = () => {}
    const isHeld = new Promise<void>((resolve) => {
      started = resolve
    })
    const held = this.store.prisma.$transaction(
      () =>
        new Promise<void>((resolve) => {
          release = resolve
          started()
        }),
    )
    await isHeld
    return {
      release: async () => {
        release()
        await held
      },
    }
  }

  /** The next frame of this name has reached its handler. */
  heard(event: string): Promise<void> {
    return new Promise((resolve) => {
      for (const socket of this.gateway.io.of('/agent').sockets.values()) {
        socket.onAny((name: string) => {
          if (name === event) setImmediate(resolve)
        })
      }
    })
  }

  /** Closes the agent's socket and waits until the hub knows. */
  async leave(agent: FakeAgent): Promise<void> {
    const isGone = async () => !(await this.core.agents.get(ana, agent.agentId)).online
    await new Promise<void>((resolve) => {
      const stop = this.core.doorbells.on('agent', () => {
        void isGone().then((gone) => {
          if (!gone) return
          stop()
          resolve()
        })
      })
      agent.close()
    })
  }

  /** The process is gone, its file stays. */
  async crash(): Promise<void> {
    for (const agent of this.#agents) agent.close()
    for (const viewer of this.#viewers) viewer.close()
    await this.gateway.close()
    await new Promise((resolve) => {
      this.server.close(resolve)
      this.server.closeAllConnections()
    })
    await this.core.close()
  }

  async stop(): Promise<void> {
    await this.crash()
    await this.store.remove()
  }
}

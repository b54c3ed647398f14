/**
 * The daemon's hold on one session's host. Whatever starts, attaches, ends or erases runs one after the other, so that a
 * session never has two hosts (RES-4).
 *
 *   none ─ host() ─► attached ─ bye ─► none
 *    ▲                  └──── cut ────► recovering ─┐   orphans ended first, then a host in mode `close` writes the end
 *    └──────────────────────────────────────────────┘
 */
import { setTimeout as delay } from 'node:timers/promises'
import { CodedError, type CommandAnswer, type HostState, type LiveFrame, toCodedError } from '@roundhouse/backend-types'
import type { RebaseOrder } from '@roundhouse/delivery'
import type { HostClient } from '../host-contract/client'
import type { HostDoor } from '../host-contract/host-door'
import type { LaunchedHost } from '../host-contract/launch'
import type { AckedNews, HostLimits, HostPolicy } from '../host-contract/launch-spec'
import type { HostClass } from '../processes/classify'
import { bootId, isRunning, type ProcessIdentity } from '../processes/identity'
import { HostTeller } from './host-teller'
import { type HostEars, type Reached, reachHost } from './reach-host'

export type LaunchMode =
  | { mode: 'run' }
  | { mode: 'close'; closeCause: 'host_died' | 'agent_restarted' }
  | { mode: 'rebase'; rebase: RebaseOrder & { epoch: string } }
  | { mode: 'prune'; limits: HostLimits }

/** What a slot needs from around it. */
export interface SlotPorts {
  policy(): HostPolicy
  /** What the hub has taken of this session's log; null where nothing. */
  acked(sessionId: string): AckedNews | null
  /** To the host that was launched last; null where none ever was. */
  door(sessionId: string): HostDoor | null
  launch(sessionId: string, mode: LaunchMode): { door: HostDoor; host: LaunchedHost }
  classify(sessionId: string): Promise<HostClass>
  /** Ends all processes of the session; resolves when none is left. */
  reap(sessionId: string): Promise<void>
  keepOrphans(): boolean
  erase(sessionId: string): void
  head(sessionId: string, logId: string, head: number): void
  /** The log is no longer written: read again how far it goes, and in what state it was left. */
  settled(sessionId: string): void
  /** What a dead host left undone is told; it may have left prompts that nobody has begun. */
  closed(sessionId: string): void
  state(state: HostState): void
  live(frames: LiveFrame[]): void
  news(sessionId: string, commandId: string, answer: CommandAnswer): void
  /** A host came or went. */
  changed(sessionId: string): void
  log(line: string): void
}

const CLOSE_LIMIT_MS = 20_000
const RETRY_MS = 15
const LOOK_AGAIN_MS = 5_000

export class SessionSlot {
  /** The host's own account, while it runs. */
  state: HostState | null = null
  /** Set while something is on its way to an attached host. */
  starting = false
  private client: HostClient | null = null
  private blocked: CodedError | null = null
  private released = false
  private teller: HostTeller | null = null
  private turns: Promise<unknown> = Promise.resolve()
  private gone: Array<() => void> = []

  constructor(
    readonly sessionId: string,
    private readonly ports: SlotPorts,
  ) {}

  get attached(): HostClient | null {
    return this.client
  }

  /** The host of this session, started where none runs. */
  host(): Promise<HostClient> {
    return this.client ? Promise.resolve(this.client) : this.inTurn(() => this.client ?? this.start())
  }

  /** What holds now, before anything else is said to the host. */
  tellPolicy(): void {
    this.teller?.policy()
  }

  tellAcked(): void {
    this.teller?.acked()
  }

  /** At the daemon's start: takes over what the one before left, whatever became of it; tried again until it is clear. */
  adopt(): Promise<void> {
    return this.inTurn(async () => {
      if (this.client || this.released) return
      try {
        await this.recover('agent_restarted')
      } catch (error) {
        this.ports.log(`${this.sessionId}: could not be taken over yet: ${toCodedError(error).message}`)
        this.lookAgain()
      }
    })
  }

  /** REB-1: only the lease holder may move the log, so a running host ends first. */
  rebase(order: RebaseOrder, epoch: string): Promise<void> {
    return this.inTurn(async () => {
      await this.endHost()
      await this.runToItsEnd({ mode: 'rebase', rebase: { ...order, epoch } })
    })
  }

  /** REB-3, of a session at rest; where a host runs, it does so by itself. */
  prune(limits: HostLimits): Promise<void> {
    return this.inTurn(async () => {
      if (!this.client && !this.blocked && !this.released) await this.runToItsEnd({ mode: 'prune', limits })
    })
  }

  /** Ends the host and what it started. `false`: it was busy, and `idle` was all that was asked. */
  stop(how: 'idle' | 'shutdown'): Promise<boolean> {
    return this.inTurn(() => this.endHost(how))
  }

  /** SES-3: everything of this session on this machine goes, except the backend's own files. */
  erase(): Promise<void> {
    return this.inTurn(async () => {
      await this.endHost()
      await this.ports.reap(this.sessionId)
      this.ports.erase(this.sessionId)
    })
  }

  /** The daemon ends; the host goes on. */
  release(): void {
    this.released = true
    this.detach()
  }

  private detach(): void {
    const { client } = this
    this.client = null
    this.teller = null
    client?.close()
  }

  private lookAgain(): void {
    setTimeout(() => void this.adopt(), LOOK_AGAIN_MS).unref()
  }

  private inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.turns.then(work)
    this.turns = turn.catch(() => {})
    return turn
  }

  // ------------------------------------------------------------- start and attach

  private async start(): Promise<HostClient> {
    if (this.blocked) await this.recover('host_died')
    if (this.client) return this.client
    if (this.blocked) throw this.blocked
    this.starting = true
    try {
      const { door, host } = this.ports.launch(this.sessionId, { mode: 'run' })
      return await this.attach(door, host)
    } finally {
      this.starting = false
    }
  }

  private async attach(door: HostDoor, host?: LaunchedHost): Promise<HostClient> {
    return this.attachedTo(await this.reach(door, host))
  }

  private reach(door: HostDoor, host?: LaunchedHost): Promise<Reached> {
    const { sessionId, ports } = this
    const ears: HostEars = {
      head: (client, head) => ports.head(sessionId, client.hello.logId, head),
      state: (state) => this.tellState(state),
      live: (frames) => ports.live(frames),
      news: (commandId, answer) => ports.news(sessionId, commandId, answer),
      gone: (client, clean) => {
        if (this.client === client) this.lost(clean)
      },
    }
    return reachHost(sessionId, door, ears, host)
  }

  private attachedTo({ client, early }: Reached): HostClient {
    if (early.closed) throw new CodedError('REQUEST_GONE', 'The session host is gone.')
    const { logId, head, state } = client.hello
    this.client = client
    this.blocked = null
    this.teller = new HostTeller(client, {
      policy: () => this.ports.policy(),
      acked: () => this.ports.acked(this.sessionId),
    })
    this.teller.policy()
    this.ports.head(this.sessionId, logId, Math.max(head, early.head))
    this.teller.acked()
    this.tellState(early.state ?? state)
    return client
  }

  private tellState(state: HostState): void {
    this.state = state
    this.ports.state(state)
    this.ports.changed(this.sessionId)
  }

  // ------------------------------------------------------------- end

  private lost(clean: boolean): void {
    this.client = null
    this.teller = null
    this.state = null
    for (const resolve of this.gone.splice(0)) resolve()
    if (clean) this.ports.settled(this.sessionId)
    else {
      this.ports.log(`${this.sessionId}: its session host died`)
      void this.inTurn(() => this.recover('host_died')).catch((error: unknown) =>
        this.ports.log(`${this.sessionId}: its end could not be recorded: ${String(error)}`),
      )
    }
    this.ports.changed(this.sessionId)
  }

  private async endHost(how: 'idle' | 'shutdown' = 'shutdown'): Promise<boolean> {
    const { client } = this
    if (!client) return true
    const { pid, start } = client.hello
    const host = { pid, start, bootId: bootId() }
    const gone = new Promise<void>((resolve) => this.gone.push(resolve)).then(() => untilExited(host))
    const { stopped } = await client.stop(how).catch(() => ({ stopped: true }))
    if (!stopped) return false
    const late = Symbol('late')
    const timeout = delay(CLOSE_LIMIT_MS, late, { ref: false })
    if ((await Promise.race([gone, timeout])) === late) {
      this.detach()
      await this.ports.reap(this.sessionId)
    }
    return true
  }

  // ------------------------------------------------------------- after a crash (RES-6)

  private async recover(cause: 'host_died' | 'agent_restarted'): Promise<void> {
    const { sessionId } = this
    const found = await this.ports.classify(sessionId)
    this.blocked = null
    switch (found.class) {
      case 'attached': {
        const door = this.ports.door(sessionId)
        if (door) await this.attach(door)
        return
      }
      case 'stuck':
        this.blocked = new CodedError(
          'ALREADY_RUNNING',
          `The host of ${sessionId} holds its session and does not answer.`,
        )
        this.lookAgain()
        break
      case 'orphan':
        if (this.ports.keepOrphans()) {
          const pids = found.processes.map(({ pid }) => pid).join(', ')
          this.blocked = new CodedError('ALREADY_RUNNING', `Processes of ${sessionId} run without a host: ${pids}.`)
          break
        }
        this.ports.log(`${sessionId}: ${found.processes.length} processes ran without their host and are ended`)
        await this.ports.reap(sessionId)
        await this.close(cause)
        break
      case 'dead':
        await this.close(cause)
    }
    if (this.blocked) this.ports.log(this.blocked.message)
  }

  private async close(closeCause: 'host_died' | 'agent_restarted'): Promise<void> {
    await this.runToItsEnd({ mode: 'close', closeCause })
    this.ports.closed(this.sessionId)
  }

  /** A host that only writes. It waits a moment for its daemon, so a short look lets it end at once. */
  private async runToItsEnd(mode: LaunchMode): Promise<void> {
    const { door, host } = this.ports.launch(this.sessionId, mode)
    void this.reach(door, host).then(
      ({ client }) => client.close(),
      () => {},
    )
    const late = { code: null, signal: 'SIGKILL' as const, late: true }
    const end = await Promise.race([host.exited, delay(CLOSE_LIMIT_MS, late, { ref: false })])
    if ('late' in end) await this.ports.reap(this.sessionId)
    this.ports.settled(this.sessionId)
    if (end.code !== 0) {
      const how = end.code ?? end.signal
      throw new CodedError(
        'INTERNAL',
        `The host in mode ${mode.mode} of ${this.sessionId} ended with ${how}; see host.log.`,
      )
    }
  }
}

/** Its goodbye is said a moment before it is gone. */
async function untilExited(host: ProcessIdentity): Promise<void> {
  for (const deadline = Date.now() + CLOSE_LIMIT_MS; isRunning(host) && Date.now() < deadline; ) await delay(RETRY_MS)
}

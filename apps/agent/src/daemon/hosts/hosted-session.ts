/**
 * The daemon's hold on one session's host. Whatever starts, attaches, ends or erases runs one after the other, so that a
 * session never has two hosts (RES-4).
 *
 *   none ─ host() ─► attached ─ bye ─► none
 *    ▲                  └──── cut ────► recovering ─┐   orphans ended first, then a host in mode `close` writes the end
 *    └──────────────────────────────────────────────┘
 */
import { CodedError, type HostState, toCodedError } from '@roundhouse/backend-types'
import type { RebaseOrder } from '@roundhouse/delivery'
import { failpoint } from '@roundhouse/failpoint'
import type { HostClient } from '../../host-contract/client'
import type { HostDoor } from '../../host-contract/host-door'
import type { LaunchedHost } from '../../host-contract/launch'
import type { HostLimits } from '../../host-contract/launch-spec'
import { isPausedByDisk } from '../home/disk-watch'
import type { When } from './adoptions'
import { Blockage } from './blockage'
import { HeldByAnother, whereNoneHolds } from './host-exits'
import { hostListener } from './host-listener'
import { HostNotifier } from './host-notifier'
import type { CloseCause, HostedSessionPorts, LaunchMode, Unwritten } from './hosted-session-ports'
import { askToLeave, type Leaving, late, restsByAccount, usualPatience, within } from './leave-host'
import { oneByOne } from './one-by-one'
import { type Reached, reachHost } from './reach-host'
import { requireUnmarked, runThrough } from './run-through'
import type { Blocking } from './why-blocked'

/** How long a command waits for a host that lives and was not found. */
const SEARCH_MS = 10_000
const START_TRIES = 3

type Orphans = Extract<Blocking, { class: 'orphan' }>

export class HostedSession {
  /** The host's own account, while it runs. */
  state: HostState | null = null
  /** Set while something is on its way to an attached host. */
  starting = false
  /** Its host may start programs, or is being started for that. */
  place = false
  /** Commands that are on their way to its host. */
  inHand = 0
  /** Its host holds the session, and was not found. */
  stuck = false
  private client: HostClient | null = null
  private search: Promise<void> | null = null
  private unwritten: Unwritten = {}
  /** Nothing starts here any more: the daemon leaves, or the session is gone. */
  private over: 'released' | 'erased' | null = null
  private notifier: HostNotifier | null = null
  private readonly inTurn = oneByOne()
  private readonly blockage: Blockage

  constructor(
    readonly sessionId: string,
    private readonly ports: HostedSessionPorts,
    private readonly patience = usualPatience,
  ) {
    this.blockage = new Blockage(
      sessionId,
      (line) => ports.log(line),
      () => void this.adopt(),
    )
  }

  get attached(): HostClient | null {
    return this.client
  }

  /** The host of this session, started where none runs: without a place it takes commands and starts no program. */
  async host(withPlace = false): Promise<HostClient> {
    if (this.stuck) await this.searched()
    const client = this.client ?? (await this.inTurn(() => this.client ?? this.start(withPlace)))
    if (!withPlace || this.place || (await this.givePlace(client, true))) return client
    return this.host(true) // it was just leaving
  }

  /**
   * Ends a host that answers nobody, by what is known of its processes, and records its end. `client`: who asked it; null
   * where it is stuck. `resting`: only where no work ends with it. False: it is another host, one at work, or one that
   * greets whoever comes anew, and only waits for its disk.
   */
  endSilent(client: HostClient | null, which: 'any' | 'resting' = 'any'): Promise<boolean> {
    return this.inTurn(() => this.endSilentNow(client, which))
  }

  private async endSilentNow(client: HostClient | null, which: 'any' | 'resting'): Promise<boolean> {
    const { sessionId, ports } = this
    const isMeant = () => this.client === client && (which === 'any' || !this.place || restsByAccount(this.state))
    if (!isMeant() || (!client && !this.stuck)) return false
    if ((await ports.classify(sessionId)).class === 'attached' || !isMeant()) return false
    ports.log(`${sessionId}: its session host does not answer, and is ended`)
    // Nothing read its program's output in the meantime.
    this.unwritten = { unwritten: true }
    this.detach()
    ports.changed(sessionId)
    await ports.reap(sessionId)
    await this.recordEnd()
    return true
  }

  /** All callers in the meantime wait for the same search. */
  private searched(): Promise<void> {
    this.search ??= this.inTurn(() => (this.stuck ? this.recover('host_died', SEARCH_MS) : undefined)).finally(() => {
      this.search = null
    })
    return this.search
  }

  /** False: it is of an earlier version, which starts its program with the first prompt. */
  get heedsPlaces(): boolean {
    return this.client === null || this.client.hello.place !== undefined
  }

  /** Where no program runs. */
  async takePlaceBack(): Promise<void> {
    if (this.client && this.place && this.heedsPlaces) await this.givePlace(this.client, false)
  }

  /** False: that host is gone. */
  private async givePlace(client: HostClient, has: boolean): Promise<boolean> {
    try {
      const answer = client.place(has)
      if ((await within(this.patience.answerMs, answer)) === late) await this.endSilent(client, 'resting')
      this.place = await answer
      return true
    } catch (error) {
      if (this.client === client) throw error
      return false
    }
  }

  /** What holds now, before anything else is said to the host. */
  tellPolicy(): void {
    this.notifier?.policy()
  }

  tellAcked(): void {
    this.notifier?.acked()
  }

  /** At the daemon's start: takes over the previous daemon's session in any state, and retries until its state is clear. */
  adopt(when: When = (work) => work()): Promise<void> {
    return this.inTurn(async () => {
      if (this.client || this.over) return
      try {
        await when(() => this.recover('agent_restarted'))
      } catch (error) {
        this.blockage.tellOnce(`${this.sessionId}: could not be taken over yet: ${toCodedError(error).message}`)
        this.blockage.lookAgain()
      }
    })
  }

  /** REB-1: only the lease holder may move the log, so a running host ends first. */
  rebase(order: RebaseOrder, epoch: string, logId: string): Promise<void> {
    return this.inTurn(async () => {
      await this.alone(async () => {
        await this.endHost('makes_way')
        await this.runToItsEnd({ mode: 'rebase', rebase: { ...order, epoch, logId } })
      })
    })
  }

  /** REB-3, of a session at rest; where a host runs, it does so by itself. */
  prune(limits: HostLimits): Promise<void> {
    return this.atRest({ mode: 'prune', limits })
  }

  /**
   * For an idle session: its log takes over the files beside it, and turns made elsewhere (RES-9). A running host does this
   * itself.
   */
  bringUpToDate(): Promise<void> {
    return this.atRest({ mode: 'close', closeCause: 'agent_restarted' })
  }

  /** REB-1: the log is damaged. Its writer ends, and the next host continues with a new log. */
  mend(): Promise<void> {
    return this.inTurn(async () => {
      const isDue = () => !this.over && this.ports.isBroken(this.sessionId)
      if (!this.client && isDue()) await this.recover('host_died')
      if (this.client && isDue()) await this.endHost('makes_way')
      if (!this.client && isDue()) await this.recover('host_died')
      if (isDue()) throw this.blockage.reason ?? new CodedError('STORAGE_UNAVAILABLE')
    })
  }

  /** Ends the host and what it started. `idle`: false where it was busy. `shutdown`: nothing begins here any more. */
  stop(how: 'idle' | 'shutdown'): Promise<boolean> {
    return this.inTurn(() => {
      if (how === 'shutdown') this.over ??= 'released'
      return this.endHost(how)
    })
  }

  /** SES-3: everything of this session on this machine goes, except the backend's own files. */
  erase(): Promise<void> {
    return this.inTurn(async () => {
      this.over = 'erased'
      this.ports.beginErasing(this.sessionId)
      await this.endHost()
      failpoint('agent.erase')
      await this.ports.reap(this.sessionId)
      await this.ports.erase(this.sessionId)
    })
  }

  /** The daemon ends; the host keeps running. */
  release(): void {
    this.over ??= 'released'
    this.detach()
  }

  private detach(): void {
    const { client } = this
    this.left()
    client?.close()
  }

  /** Nobody is there any more. */
  private left(): void {
    this.client = null
    this.place = false
    this.notifier = null
    this.state = null
  }

  private atRest(mode: LaunchMode): Promise<void> {
    const isAtRest = () => !this.client && !this.blockage.reason && !this.over
    return this.inTurn(() => this.alone(async () => (isAtRest() ? this.runToItsEnd(mode) : undefined)))
  }

  // ------------------------------------------------------------- start and attach

  /** Where machines are slow, a host may have left before it was reached. */
  private async start(withPlace: boolean, tries = START_TRIES): Promise<HostClient> {
    try {
      return await this.alone(() => this.startOnce(withPlace))
    } catch (error) {
      if (tries <= 1 || toCodedError(error).code !== 'REQUEST_GONE') throw error
      return this.start(withPlace, tries - 1)
    }
  }

  private async startOnce(withPlace: boolean): Promise<HostClient> {
    this.requireThere()
    if (this.blockage.reason && !this.stuck) await this.recover('host_died')
    if (this.client) return this.client
    if (this.blockage.reason) throw this.blockage.reason
    this.starting = true
    this.place = withPlace
    try {
      return await this.ports.inStartTurn(this.sessionId, () => {
        const mode: LaunchMode = { mode: 'run', ...(withPlace ? {} : { waits: true }), ...this.unwritten }
        const { door, host } = this.ports.launch(this.sessionId, mode)
        return this.reach(door, host).then((reached) => this.attachedTo(reached))
      })
    } catch (error) {
      requireUnmarked(this.sessionId, this.ports)
      throw error
    } finally {
      this.starting = false
      if (!this.client) this.place = false
    }
  }

  /** Nothing starts in a session that is over, even for an earlier caller. */
  private requireThere(): void {
    if (this.over) throw new CodedError(this.over === 'erased' ? 'SESSION_NOT_FOUND' : 'AGENT_OFFLINE')
  }

  private reach(door: HostDoor, host?: LaunchedHost): Promise<Reached> {
    const { sessionId, ports } = this
    const gone = (client: HostClient, clean: boolean) => {
      if (this.client === client) this.lost(clean)
    }
    const listener = hostListener(sessionId, ports, (state) => this.tellState(state), gone)
    return reachHost(sessionId, door, listener, host)
  }

  private attachedTo({ client, early }: Reached): HostClient {
    if (early.closed) throw new CodedError('REQUEST_GONE', 'The session host is gone.')
    if (this.over) client.close()
    this.requireThere()
    const { logId, head, state, place = true } = client.hello
    this.client = client
    this.place = place
    this.blockage.reason = null
    this.stuck = false
    this.unwritten = {}
    this.notifier = new HostNotifier(client, {
      policy: () => this.ports.policy(),
      acked: () => this.ports.acked(this.sessionId),
    })
    this.notifier.policy()
    this.ports.head(this.sessionId, logId, Math.max(head, early.head))
    this.notifier.acked()
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
    if (!clean && isPausedByDisk(this.state)) this.unwritten = { unwritten: true }
    this.left()
    if (clean) this.ports.settled(this.sessionId, false)
    else {
      this.ports.log(`${this.sessionId}: its session host died`)
      void this.inTurn(() => this.recordEnd())
    }
    this.ports.changed(this.sessionId)
  }

  private async endHost(how: Leaving = 'shutdown'): Promise<boolean> {
    const { client } = this
    if (!client) return true
    const end = await askToLeave(client, how, this.patience)
    if (end === 'left') return true
    if (end === 'stays') return false
    if (end === 'silent') return this.endSilentNow(client, 'resting')
    this.detach()
    this.ports.changed(this.sessionId)
    await this.ports.reap(this.sessionId)
    this.blockage.lookAgain() // what it left open is closed
    return true
  }

  // ------------------------------------------------------------- after a crash (RES-6)

  private async recover(cause: CloseCause, patienceMs?: number): Promise<void> {
    const { sessionId } = this
    this.ports.noticeMark(sessionId)
    const found = await this.ports.classify(sessionId, patienceMs)
    this.blockage.reason = null
    this.stuck = found.class === 'stuck'
    if (found.class === 'attached') {
      const door = this.ports.door(sessionId)
      if (door) this.attachedTo(await this.reach(door))
    } else if (found.class === 'dead') await this.close(cause)
    // Orphans that are kept: once they have ended by themselves, their end is recorded.
    else if (found.class !== 'orphan' || this.ports.keepOrphans()) this.blockage.wait(found)
    else await this.endOrphans(found, cause)
  }

  private recordEnd(): Promise<void> {
    return this.recover('host_died').catch((error: unknown) => {
      this.ports.log(`${this.sessionId}: its end could not be recorded yet: ${String(error)}`)
      this.blockage.lookAgain()
    })
  }

  private async endOrphans({ processes, unread }: Orphans, cause: CloseCause): Promise<void> {
    this.ports.log(`${this.sessionId}: ${processes.length} processes ran without their host and are ended`)
    await this.ports.reap(this.sessionId)
    if (unread.length === 0) await this.close(cause)
    else this.blockage.wait({ class: 'unread', unread })
  }

  private async close(closeCause: CloseCause): Promise<void> {
    try {
      await this.runToItsEnd({ mode: 'close', closeCause, ...this.unwritten })
    } catch (error) {
      this.stuck = error instanceof HeldByAnother
      if (this.stuck) return this.blockage.wait({ class: 'stuck' })
      throw error
    }
    this.unwritten = {}
    this.blockage.settled()
    this.ports.closed(this.sessionId)
  }

  /** Work that needs the session exclusively. */
  private alone<T>(work: () => Promise<T>): Promise<T> {
    return whereNoneHolds(work, () => this.recover('host_died', SEARCH_MS))
  }

  private runToItsEnd(mode: LaunchMode): Promise<void> {
    const { sessionId, ports } = this
    return ports.inStartTurn(sessionId, async () => {
      this.requireThere()
      await runThrough(sessionId, mode, ports, (door, host) => this.reach(door, host))
    })
  }
}

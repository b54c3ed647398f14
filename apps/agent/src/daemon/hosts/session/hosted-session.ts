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
import type { HostClient } from '../../../host-contract/client'
import type { HostLimits } from '../../../host-contract/launch-spec'
import { Blockage } from './blockage'
import { HostAttachment } from './host-attachment'
import { HostRecovery } from './host-recovery'
import { HostStart } from './host-start'
import type { HostedSessionPorts, LaunchMode } from './hosted-session-ports'
import { askToLeave, type Leaving, late, restsByAccount, usualPatience, within } from './leave-host'
import { oneByOne, type When } from './one-by-one'
import { runThrough } from './run-through'

export class HostedSession {
  /** Commands that are on their way to its host. */
  inHand = 0
  private search: Promise<void> | null = null
  private readonly inTurn = oneByOne()
  private readonly blockage: Blockage
  private readonly attachment: HostAttachment
  private readonly recovery: HostRecovery
  private readonly starts: HostStart

  constructor(
    readonly sessionId: string,
    private readonly ports: HostedSessionPorts,
    private readonly patience = usualPatience,
  ) {
    const again = () => void this.adopt()
    this.blockage = new Blockage(sessionId, (line) => ports.reports.log(line), again)
    this.attachment = new HostAttachment(sessionId, ports, (clean) => this.lost(clean))
    this.recovery = new HostRecovery(ports, this.attachment, this.blockage)
    this.starts = new HostStart(ports, this.attachment, this.recovery, this.blockage)
  }

  get attached(): HostClient | null {
    return this.attachment.client
  }

  /** The host's own account, while it runs. */
  get state(): HostState | null {
    return this.attachment.state
  }

  /** Its host may start programs, or is being started for that. */
  get place(): boolean {
    return this.attachment.place
  }

  /** A host is on its way. */
  get starting(): boolean {
    return this.starts.isUnderWay
  }

  /** Its host holds the session, and was not found. */
  get stuck(): boolean {
    return this.recovery.stuck
  }

  /** The host of this session, started where none runs: without a place it takes commands and starts no program. */
  async host(withPlace = false): Promise<HostClient> {
    if (this.stuck) await this.searched()
    const client = this.attached ?? (await this.inTurn(() => this.attached ?? this.starts.run(withPlace)))
    if (!withPlace || this.place || (await this.givePlace(client, true))) return client
    return this.host(true) // it was just leaving
  }

  /**
   * Ends a host that answers nobody, by what is known of its processes, and records its end. `client`: who asked it; null
   * where it is stuck. `any`: for a command that ends the work. `resting`: only where no work ends with it. False: it is
   * another host, one at work, or one that greets whoever comes anew, and only waits for its disk.
   */
  endSilent(client: HostClient | null, which: 'any' | 'resting' = 'any'): Promise<boolean> {
    return this.inTurn(() => this.endSilentNow(client, which))
  }

  /** False: it is of an earlier version, which starts its program with the first prompt. */
  get heedsPlaces(): boolean {
    return this.attached === null || this.attached.hello.place !== undefined
  }

  /** Where no program runs. */
  async takePlaceBack(): Promise<void> {
    if (this.attached && this.place && this.heedsPlaces) await this.givePlace(this.attached, false)
  }

  tellPolicy(): void {
    this.attachment.tellPolicy()
  }

  tellAcked(): void {
    this.attachment.tellAcked()
  }

  /** At the daemon's start: takes over the previous daemon's session in any state, and retries until its state is clear. */
  adopt(when: When = (work) => work()): Promise<void> {
    return this.inTurn(async () => {
      if (this.attached || this.attachment.over) return
      try {
        await when(() => this.recovery.recover())
      } catch (error) {
        this.blockage.tellOnce(`${this.sessionId}: could not be taken over yet: ${toCodedError(error).message}`)
        this.blockage.lookAgain()
      }
    })
  }

  /** REB-1: only the lease holder may move the log, so a running host ends first. */
  rebase(order: RebaseOrder, epoch: string, logId: string): Promise<void> {
    return this.inTurn(async () => {
      await this.recovery.alone(async () => {
        await this.endHost('makes_way')
        await this.runThrough({ mode: 'rebase', rebase: { ...order, epoch, logId } })
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
    return this.atRest({ mode: 'close' })
  }

  /** REB-1: the log is damaged. Its writer ends, and the next host continues with a new log. */
  mend(): Promise<void> {
    return this.inTurn(async () => {
      const isDue = () => !this.attachment.over && this.ports.records.isBroken(this.sessionId)
      if (!this.attached && isDue()) await this.recovery.recover()
      if (this.attached && isDue()) await this.endHost('makes_way')
      if (!this.attached && isDue()) await this.recovery.recover()
      if (isDue()) throw this.blockage.reason ?? new CodedError('STORAGE_UNAVAILABLE')
    })
  }

  /** Ends the host and what it started. `idle`: false where it was busy. `shutdown`: nothing begins here any more. */
  stop(how: 'idle' | 'shutdown'): Promise<boolean> {
    return this.inTurn(() => {
      if (how === 'shutdown') this.attachment.over ??= 'released'
      return this.endHost(how)
    })
  }

  /** SES-3: everything of this session on this machine goes, except the backend's own files. */
  erase(): Promise<void> {
    return this.inTurn(async () => {
      this.attachment.over = 'erased'
      this.ports.erasing.begin(this.sessionId)
      await this.endHost()
      failpoint('agent.erase')
      await this.ports.processes.reap(this.sessionId)
      await this.ports.erasing.erase(this.sessionId)
    })
  }

  /** The daemon ends; the host keeps running. */
  release(): void {
    this.attachment.over ??= 'released'
    this.attachment.detach()
  }

  /** All callers in the meantime wait for the same search. */
  private searched(): Promise<void> {
    this.search ??= this.inTurn(() => (this.stuck ? this.recovery.search() : undefined)).finally(() => {
      this.search = null
    })
    return this.search
  }

  /** False: that host is gone. */
  private async givePlace(client: HostClient, has: boolean): Promise<boolean> {
    try {
      const answer = client.place(has)
      if ((await within(this.patience.answerMs, answer)) === late) await this.endSilent(client, 'resting')
      this.attachment.place = await answer
      return true
    } catch (error) {
      if (this.attached === client) throw error
      return false
    }
  }

  private endSilentNow(client: HostClient | null, which: 'any' | 'resting'): Promise<boolean> {
    const mayEnd = () => which === 'any' || !this.place || restsByAccount(this.state)
    return this.recovery.endSilent(() => this.attached === client && mayEnd(), which === 'any')
  }

  private atRest(mode: LaunchMode): Promise<void> {
    const isAtRest = () => !this.attached && !this.blockage.reason && !this.attachment.over
    return this.inTurn(() => this.recovery.alone(async () => (isAtRest() ? this.runThrough(mode) : undefined)))
  }

  private runThrough(mode: LaunchMode): Promise<void> {
    return runThrough(mode, this.attachment, this.ports)
  }

  private lost(clean: boolean): void {
    const { records, reports } = this.ports
    if (!clean) this.recovery.noticeDeath()
    this.attachment.left()
    if (clean) records.settled(this.sessionId, false)
    else {
      reports.log(`${this.sessionId}: its session host died`)
      void this.inTurn(() => this.recovery.recordEnd())
    }
    reports.changed(this.sessionId)
  }

  private async endHost(how: Leaving = 'shutdown'): Promise<boolean> {
    const client = this.attached
    if (!client) return true
    const end = await askToLeave(client, how, this.patience)
    if (end === 'left') return true
    if (end === 'stays') return false
    if (end === 'silent') return this.endSilentNow(client, 'resting')
    this.attachment.detach()
    this.ports.reports.changed(this.sessionId)
    await this.ports.processes.reap(this.sessionId)
    this.blockage.lookAgain() // what it left open is closed
    return true
  }
}

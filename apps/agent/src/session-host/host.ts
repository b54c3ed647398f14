/** One session from start to end: handles the daemon's requests, and finishes what must be done before the host may end. */
import { isDeepStrictEqual } from 'node:util'
import { CodedError, type DiskTrouble, type HostState } from '@roundhouse/backend-types'
import type { HostPolicy } from '../host-contract/launch-spec'
import type { ByeReason, HostRequest, StopHow } from '../host-contract/messages'
import type { HostPorts } from './host-ports'
import { HostStanding } from './host-standing'
import { isAtWork, isBusy } from './session-account'
import { SessionParts } from './session-parts'

export class SessionHost {
  private readonly parts: SessionParts
  private readonly standing: HostStanding

  constructor(private readonly ports: HostPorts) {
    this.standing = new HostStanding(ports.launch.policy, ports.launch.waits !== true)
    this.parts = new SessionParts(ports, this.standing, (why) => void this.shutDown(why))
  }

  /** Before any program starts. Where it fails, programs have no tools of ours, and the session goes on. */
  async openTools(): Promise<void> {
    const { tools, basis } = this.parts
    if (!tools || !basis.ownPlace) return
    try {
      await tools.listen()
      basis.ownPlace.isOpen = true
    } catch (error) {
      console.error('the programs of this session have no tools: their socket could not be made', error)
    }
  }

  /** Listens anew where somebody removed the file of the tools' socket. */
  async keepTools(): Promise<void> {
    if (this.parts.basis.ownPlace?.isOpen) await this.parts.tools?.keepPlace()
  }

  /** Called after the recovery, once the socket listens. */
  start(): void {
    this.parts.commands.runLeftOvers()
    const { turnRunner, watch, life } = this.parts.work
    turnRunner.advance()
    watch.start()
    life.lookAtWish()
    this.parts.basis.signals.changed()
  }

  /** Starts no program. Leaves a final account for readers while no host runs. */
  async rest(): Promise<void> {
    this.standing.closing = true
    // Unless a crash is the reason, the session rests as before.
    this.parts.work.ends.planned ??= 'idle'
    this.parts.dispose()
    await this.saveLastState()
  }

  get hasPlace(): boolean {
    return this.standing.place
  }

  /** A current account for a client that connects. */
  account(): HostState {
    this.parts.idle.touch()
    return this.parts.publisher.fresh()
  }

  async handle(request: HostRequest): Promise<unknown> {
    // An ack of the hub is no sign that a person is present, and a question changes nothing.
    if (request.type !== 'acked' && request.type !== 'query') this.parts.idle.touch()
    switch (request.type) {
      case 'acked':
        await this.parts.basis.care.acked(request)
        return {}
      case 'command':
        return this.parts.commands.receive(request.command)
      case 'cancel':
        return this.parts.commands.cancel(request.commandId)
      case 'block': {
        const block = this.parts.output.live.read(request.blockId, request.from)
        if (!block) throw new CodedError('NOT_FOUND')
        return block
      }
      case 'query':
        return this.parts.queries.ask(request.method)
      case 'policy':
        this.changePolicy(request.policy)
        return {}
      case 'place':
        return this.takePlace(request.has)
      case 'stop':
        return this.stop(request.how, request.makesWay === true)
    }
  }

  private takePlace(has: boolean): { has: boolean } {
    const { runner, turns } = this.parts.basis
    const { turnRunner, life } = this.parts.work
    this.standing.place = has || runner.running !== null || runner.isStarting || turns.current !== null
    turnRunner.advance()
    life.lookAtWish()
    return { has: this.standing.place }
  }

  /** The running turn continues under the old policy. Everything that starts later is judged by the new one. */
  private changePolicy(policy: HostPolicy): void {
    if (isDeepStrictEqual(policy, this.standing.policy)) return
    this.standing.policy = policy
    this.parts.work.grants.endAll('policy')
  }

  /** News of the log, passed in by the code that opened it. */
  diskStalled(disk: DiskTrouble | null): void {
    if (disk === this.parts.basis.hold.disk) return
    const { stalled } = this.parts.basis.hold
    this.parts.basis.hold.set({ disk })
    if (disk !== null && !stalled) this.parts.publisher.stalled()
  }

  pressure(high: boolean): void {
    this.parts.basis.hold.set({ queued: high })
  }

  appended(bytes: number): void {
    this.parts.basis.care.appended(bytes)
  }

  committed(): void {
    this.parts.publisher.committed()
  }

  /**
   * Ends the backend, closes what is open, and then ends the host. `makesWay`: another host follows, so the session
   * does not rest.
   */
  async shutDown(why: ByeReason, makesWay = false): Promise<void> {
    if (this.standing.closing) return
    this.standing.closing = true
    const { turns, journal } = this.parts.basis
    const { elsewhere, ends, life } = this.parts.work
    if (why === 'shutdown' && !makesWay) void journal.write(life.stopped()).catch(() => {})
    const wasRead = turns.current === null && !elsewhere.hasUnread
    await ends.end(why === 'idle' ? 'idle' : 'ended_by_person')
    if (wasRead) await elsewhere.settle().catch(() => {})
    await this.parts.commands.settled()
    await this.parts.tools?.close()
    this.parts.dispose()
    await this.saveLastState()
    this.ports.daemon.ended(why)
  }

  private async saveLastState(): Promise<void> {
    // A disk that refuses must not keep the host from ending; the log reports it.
    await this.ports.journal
      .write({ meta: { lastState: JSON.stringify(this.parts.publisher.fresh()) } })
      .catch(() => {})
  }

  private async stop(how: StopHow, makesWay: boolean): Promise<{ stopped: boolean }> {
    switch (how) {
      case 'idle':
        if (this.standing.place ? isBusy(this.parts.accounted) : isAtWork(this.parts.accounted))
          return { stopped: false }
        void this.shutDown('idle')
        return { stopped: true }
      case 'shutdown':
        void this.shutDown('shutdown', makesWay)
        return { stopped: true }
    }
  }
}

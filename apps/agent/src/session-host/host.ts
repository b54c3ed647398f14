/** One session from start to end: handles the daemon's requests, and finishes what must be done before the host may end. */
import { isDeepStrictEqual } from 'node:util'
import { CodedError, type DiskTrouble, type HostState } from '@roundhouse/backend-types'
import type { HostPolicy } from '../host-contract/launch-spec'
import type { HostRequest, StopHow } from '../host-contract/messages'
import type { HostPorts } from './host-ports'
import { isAtWork, isBusy } from './session-account'
import { SessionParts } from './session-parts'

export class SessionHost {
  private readonly parts: SessionParts
  private policy: HostPolicy
  private closing = false
  /** True while this session counts as one of the programs that may run on this machine. */
  private place: boolean

  constructor(private readonly ports: HostPorts) {
    this.policy = ports.launch.policy
    this.place = ports.launch.waits !== true
    this.parts = new SessionParts(ports, {
      policy: () => this.policy,
      isClosing: () => this.closing,
      hasPlace: () => this.place,
      shutDown: (why) => void this.shutDown(why),
    })
  }

  /** Called after the recovery, once the socket listens. */
  start(): void {
    this.parts.commands.runLeftOvers()
    this.parts.turns.advance()
    this.parts.watch.start()
    this.parts.life.lookAtWish()
    this.parts.idle.touch()
    this.parts.changed()
  }

  /** Starts no program. Leaves a final account for readers while no host runs. */
  async rest(): Promise<void> {
    this.closing = true
    // Unless a crash is the reason, the session rests as before.
    this.parts.ends.planned ??= 'idle'
    this.parts.dispose()
    await this.saveLastState()
  }

  get hasPlace(): boolean {
    return this.place
  }

  /** A current account for a client that connects. */
  account(): HostState {
    this.parts.idle.touch()
    return this.parts.publisher.fresh()
  }

  async handle(request: HostRequest): Promise<unknown> {
    // An ack of the hub is no sign that a person is present.
    if (request.type !== 'acked') this.parts.idle.touch()
    switch (request.type) {
      case 'acked':
        await this.parts.care.acked(request)
        return {}
      case 'command':
        return this.parts.commands.receive(request.command)
      case 'cancel':
        return this.parts.commands.cancel(request.commandId)
      case 'block': {
        const block = this.parts.live.read(request.blockId, request.from)
        if (!block) throw new CodedError('NOT_FOUND')
        return block
      }
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
    const { runner, turns } = this.parts
    this.place = has || runner.running !== null || runner.isStarting || turns.current !== null
    turns.advance()
    this.parts.life.lookAtWish()
    return { has: this.place }
  }

  /** The running turn continues under the old policy. Everything that starts later is judged by the new one. */
  private changePolicy(policy: HostPolicy): void {
    if (isDeepStrictEqual(policy, this.policy)) return
    this.policy = policy
    this.parts.grants.endAll('policy')
  }

  /** News of the log, passed in by the code that opened it. */
  diskStalled(disk: DiskTrouble | null): void {
    if (disk === this.parts.hold.disk) return
    const { stalled } = this.parts.hold
    this.parts.hold.set({ disk })
    if (disk !== null && !stalled) this.parts.publisher.stalled()
  }

  pressure(high: boolean): void {
    this.parts.hold.set({ queued: high })
  }

  appended(bytes: number): void {
    this.parts.care.appended(bytes)
  }

  committed(): void {
    this.parts.publisher.committed()
  }

  /**
   * Ends the backend, closes what is open, and then ends the host. `makesWay`: another host follows, so the session
   * does not rest.
   */
  async shutDown(why: 'idle' | 'shutdown' | 'deleted', makesWay = false): Promise<void> {
    if (this.closing) return
    this.closing = true
    const { elsewhere, turns, life, journal } = this.parts
    if (why === 'shutdown' && !makesWay) void journal.write(life.stopped()).catch(() => {})
    const wasRead = turns.current === null && !elsewhere.hasUnread
    await this.parts.ends.end(why === 'idle' ? 'idle' : 'ended_by_person')
    if (wasRead) await elsewhere.settle().catch(() => {})
    await this.parts.commands.settled()
    this.parts.dispose()
    await this.saveLastState()
    this.ports.ended(why)
  }

  private async saveLastState(): Promise<void> {
    // A disk that refuses must not keep the host from ending; the log reports it.
    await this.parts.journal
      .write({ meta: { lastState: JSON.stringify(this.parts.publisher.fresh()) } })
      .catch(() => {})
  }

  private async stop(how: StopHow, makesWay: boolean): Promise<{ stopped: boolean }> {
    switch (how) {
      case 'idle':
        if (this.place ? isBusy(this.parts) : isAtWork(this.parts)) return { stopped: false }
        void this.shutDown('idle')
        return { stopped: true }
      case 'end_process':
        await this.parts.life.endProcess()
        return { stopped: true }
      case 'shutdown':
        void this.shutDown('shutdown', makesWay)
        return { stopped: true }
    }
  }
}

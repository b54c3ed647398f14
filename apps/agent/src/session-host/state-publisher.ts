/**
 * Publishes the host's account of its session (`HostState`, LINK-5). It is level-triggered and sent at most once per
 * turn of the event loop, and never before the events that it includes are on disk. While the disk refuses, the host
 * can only repeat the last such account with a note that the disk refuses.
 */
import type { HostState } from '@roundhouse/backend-types'
import { fittingAccount } from '../host-contract/readable-account'
import type { SessionLog } from '../log/session-log'

export type HostStateParts = Omit<HostState, 'sessionId' | 'leaseToken' | 'rev' | 'atSeq'>

export class StatePublisher {
  private rev = 0
  private dirty = false
  private armed = false
  /** The disk refused and has not taken everything since. */
  private refused = false
  private durable: (HostStateParts & { atSeq: number }) | null = null

  constructor(
    private readonly sessionId: string,
    private readonly log: SessionLog,
    private readonly parts: () => HostStateParts,
    private readonly send: (state: HostState) => void,
  ) {}

  /** Something changed. */
  raise(): void {
    this.dirty = true
    if (this.armed) return
    this.armed = true
    setImmediate(() => {
      this.armed = false
      this.sendIfDurable()
    })
  }

  committed(): void {
    if (this.dirty) this.sendIfDurable()
  }

  /** The disk refuses. */
  stalled(): void {
    this.refused = true
    this.send(this.fresh())
  }

  /** The current account, newer than any that was sent, and cut to the daemon's limits. */
  fresh(): HostState {
    this.rev += 1
    const { sessionId, rev } = this
    const { leaseToken } = this.log
    return fittingAccount({ sessionId, leaseToken, rev, ...this.account() })
  }

  private account(): HostStateParts & { atSeq: number } {
    this.refused &&= !this.isDurable()
    if (this.refused && this.durable) return { ...this.durable, status: { status: 'paused', why: 'disk' } }
    this.durable = { atSeq: this.log.lastSeq, ...this.parts() }
    return this.durable
  }

  private isDurable(): boolean {
    return this.log.head >= this.log.lastSeq
  }

  private sendIfDurable(): void {
    if (!this.dirty || !this.isDurable()) return
    this.dirty = false
    this.send(this.fresh())
  }
}

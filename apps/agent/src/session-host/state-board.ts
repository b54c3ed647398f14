/**
 * The host's account of its session (`HostState`, LINK-5): level-triggered, sent once per turn of the event loop however
 * much changed, and never before the events that it already counts in are on the disk.
 */
import type { HostState } from '@roundhouse/backend-types'
import type { SessionLog } from '../log/session-log'

export type HostStateParts = Omit<HostState, 'sessionId' | 'leaseToken' | 'rev' | 'atSeq'>

export class StateBoard {
  private rev = 0
  private dirty = false
  private armed = false

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

  /** The log has committed. */
  committed(): void {
    if (this.dirty) this.sendIfDurable()
  }

  /** The account as it is now, newer than any that was sent. */
  fresh(): HostState {
    this.rev += 1
    return this.current()
  }

  private current(): HostState {
    return {
      sessionId: this.sessionId,
      leaseToken: this.log.leaseToken,
      rev: this.rev,
      atSeq: this.log.lastSeq,
      ...this.parts(),
    }
  }

  private sendIfDurable(): void {
    if (!this.dirty || this.log.head < this.log.lastSeq) return
    this.dirty = false
    this.rev += 1
    this.send(this.current())
  }
}

/**
 * How much of the log the hub has not taken yet (FLOW-2). Above the soft limit the program's output is left in its pipe;
 * below half of it, it goes on. Nothing that was accepted is ever dropped.
 */
import type { Acked } from '../../log/acked'
import type { SessionLog } from '../../log/session-log'

export class Backlog {
  private bytes: number
  private high = false

  constructor(
    private readonly log: SessionLog,
    private acked: Acked,
    private readonly limitBytes: number,
    private readonly changed: (high: boolean) => void,
  ) {
    this.bytes = log.rows.bytesIn(acked.upTo, log.head)
  }

  appended(bytes: number): void {
    this.bytes += bytes
    this.look()
  }

  /** Another epoch of the hub may hold less than the one before had taken. */
  taken(acked: Acked): void {
    const { rows, head } = this.log
    const grown = acked.epoch === this.acked.epoch && acked.upTo >= this.acked.upTo
    const left = grown ? this.bytes - rows.bytesIn(this.acked.upTo, acked.upTo) : rows.bytesIn(acked.upTo, head)
    this.bytes = Math.max(0, left)
    this.acked = acked
    this.look()
  }

  private look(): void {
    const high = this.high ? this.bytes > this.limitBytes / 2 : this.bytes > this.limitBytes
    if (high === this.high) return
    this.high = high
    this.changed(high)
  }
}

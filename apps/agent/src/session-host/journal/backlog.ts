/**
 * Measures how much of the log the hub has not acked (FLOW-2). Above the soft limit the host stops reading the
 * program's output; below half of it, reading resumes. Nothing that was accepted is ever dropped.
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

  /** A hub under another epoch may hold less than it had acked before. */
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

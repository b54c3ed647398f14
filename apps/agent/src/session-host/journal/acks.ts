/**
 * How far the hub has this log, as reported by the daemon (ACK-1). The log's only writer stores it in the log's own
 * file, so a restored file never claims more than its events.
 */
import type { AckedNews } from '../../host-contract/launch-spec'
import { type Acked, ackedKey, laterAcked, parseAcked } from '../../log/acked'
import type { Journal } from './journal'
import type { Pruner } from './pruner'

export class Acks {
  current: Acked

  constructor(
    private readonly journal: Journal,
    private readonly pruner: Pruner,
    private readonly taken?: (acked: Acked) => void,
  ) {
    this.current = parseAcked(journal.log.rows.meta(ackedKey))
  }

  /** Resolves when the ack is on disk. Ignores acks of another log. */
  async told({ logId, upTo, epoch, present }: AckedNews): Promise<void> {
    const { log } = this.journal
    if (logId !== log.logId || upTo > log.head) return
    const acked = laterAcked(this.current, { upTo, epoch })
    if (acked.upTo !== this.current.upTo || acked.epoch !== this.current.epoch) {
      this.current = acked
      this.taken?.(acked)
      await this.journal.write({ meta: { [ackedKey]: JSON.stringify(acked) } })
    }
    if (present) this.pruner.step(acked.upTo)
  }
}

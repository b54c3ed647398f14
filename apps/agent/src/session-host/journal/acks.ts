/**
 * What the hub has taken of this log, as the daemon tells it (ACK-1). Kept in the log's own file, by its only writer, so
 * that a file that is put back never claims more than its events.
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

  /** Resolves when it is on the disk. What is said of another log is ignored. */
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

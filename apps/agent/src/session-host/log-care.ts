/**
 * Maintains the log while the host runs: tracks what the hub has acked, prunes the beginning, and pauses the program
 * while the disk or the hub takes no more (REB-3, FLOW-2).
 */
import { steadyClock } from '@roundhouse/delivery'
import type { AckedNews, LaunchSpec } from '../host-contract/launch-spec'
import { Acks } from './journal/acks'
import { Backlog } from './journal/backlog'
import type { Journal } from './journal/journal'
import { Pruner } from './journal/pruner'
import type { OutputHold } from './output/output-hold'

export class LogCare {
  private readonly acks: Acks
  private readonly backlog: Backlog

  constructor(
    journal: Journal,
    limits: LaunchSpec['limits'],
    now: () => number,
    readonly hold: OutputHold,
  ) {
    const { log } = journal
    this.acks = new Acks(journal, new Pruner(journal, limits, steadyClock(now).now), (acked) =>
      this.backlog.taken(acked),
    )
    const soft = limits?.backlogBytes ?? Number.POSITIVE_INFINITY
    this.backlog = new Backlog(log, this.acks.current, soft, (unacked) => hold.set({ unacked }))
  }

  acked(news: AckedNews): Promise<void> {
    return this.acks.told(news)
  }

  appended(bytes: number): void {
    this.backlog.appended(bytes)
  }
}

/** The hub's own data in one decision: its audit log, and the rights of people and tokens. */
import type { Standing, StandingOf } from '../access/standing'
import type { AuditEntry } from '../ports/audit-store'
import type { Operation, OperationOf } from '../ports/stream/stream-change'
import { type Loaded, standingKey } from '../ports/stream/stream-writer'
import { notLoaded, rowOf } from './found'

export class WorkingHub {
  constructor(
    private readonly loaded: Partial<Loaded>,
    private readonly record: (operation: Operation) => void,
  ) {}

  appendAudit(entry: AuditEntry, at: number): void {
    this.record({ op: 'audit.append', entry, at })
  }

  /** How many heads of the audit log the hub has signed. */
  headsGiven(): number {
    const { headsGiven } = this.loaded
    if (headsGiven === undefined || headsGiven === null) throw notLoaded('the number of heads')
    return headsGiven
  }

  keepReturnedHead(head: OperationOf<'audit.keepReturnedHead'>['head']): void {
    this.record({ op: 'audit.keepReturnedHead', head })
  }

  standing(of: StandingOf): Standing | undefined {
    return rowOf(this.loaded.standings?.get(standingKey(of)), `standing of ${of.kind} ${of.id}`)
  }
}

/**
 * Holds the open permission requests: the ledger entry of each, and the data to check it again. All ledger steps are taken
 * here, so a closed request leaves the ledger and this list together, with its row for the log.
 */
import type { PermissionAsk } from '@roundhouse/backend-types'
import { type Closed, type LedgerStep, openRequest, type PermissionLedger, supersede } from '@roundhouse/delivery'
import type { RequestRow } from '../../log/statements'
import type { OpenAsk } from './ask'
import { closedRow, openRow } from './permission-events'

export class OpenAsks {
  private steps: PermissionLedger = {}
  private readonly asks = new Map<string, OpenAsk>()

  get ledger(): PermissionLedger {
    return this.steps
  }

  get all(): OpenAsk[] {
    return [...this.asks.values()]
  }

  /** Requests without a decision, oldest first. */
  undecided(): PermissionAsk[] {
    return Object.values(this.steps)
      .filter(({ applying }) => applying === null)
      .map(({ ask }) => ask)
  }

  find(requestId: string): OpenAsk | undefined {
    return this.asks.get(requestId)
  }

  ofCall(callId: string): OpenAsk | undefined {
    return [...this.asks.values()].find(({ ask }) => ask.callId === callId)
  }

  /** The caller records the event of this request with its row. */
  add(open: OpenAsk): void {
    this.steps = openRequest(this.steps, open.ask)
    this.asks.set(open.ask.requestId, open)
  }

  /** Replaces the ledger with one in which this request is being applied. */
  beginApply(open: OpenAsk, ledger: PermissionLedger): RequestRow[] {
    this.steps = ledger
    return this.rowOf(open)
  }

  /** `outcome` overrides the outcome of the step. */
  take(step: LedgerStep, outcome?: Closed['outcome']): RequestRow[] {
    this.steps = step.ledger
    for (const { ask } of step.closed) this.asks.delete(ask.requestId)
    return step.closed.map((closed) => closedRow({ ...closed, outcome: outcome ?? closed.outcome }))
  }

  /** PERM-2: the same request under a new digest. */
  supersede(open: OpenAsk, next: OpenAsk): RequestRow[] {
    const closed = this.take(supersede(this.steps, open.ask.requestId, next.ask))
    this.asks.set(next.ask.requestId, next)
    return [...closed, ...this.rowOf(next)]
  }

  private rowOf({ ask }: OpenAsk): RequestRow[] {
    const entry = this.steps[ask.requestId]
    return entry ? [openRow(entry)] : []
  }
}

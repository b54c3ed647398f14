/**
 * The permission requests that nothing has closed yet: where each stands in the ledger, and what is needed to look at it
 * again. Every step of the ledger is taken here, so that whatever leaves it leaves both, and with its row for the log.
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

  /** What is asked and not answered, oldest first. */
  unanswered(): PermissionAsk[] {
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

  /** Its event is on its way to the log, with `newRow`. */
  add(open: OpenAsk): void {
    this.steps = openRequest(this.steps, open.ask)
    this.asks.set(open.ask.requestId, open)
  }

  /** One of them is being answered; `ledger` says so. */
  beginAnswer(open: OpenAsk, ledger: PermissionLedger): RequestRow[] {
    this.steps = ledger
    return this.rowOf(open)
  }

  /** `outcome`: where it is another than the step says. */
  take(step: LedgerStep, outcome?: Closed['outcome']): RequestRow[] {
    this.steps = step.ledger
    for (const { ask } of step.closed) this.asks.delete(ask.requestId)
    return step.closed.map((closed) => closedRow({ ...closed, outcome: outcome ?? closed.outcome }))
  }

  /** PERM-2: the same ask under a new digest. */
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

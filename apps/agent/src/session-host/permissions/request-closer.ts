/** Takes the steps that close permission requests, and records what they closed. */
import type { SessionEvent } from '@roundhouse/backend-types'
import type { Closed, LedgerStep } from '@roundhouse/delivery'
import type { RequestRow } from '../../log/statements'
import type { BrokerPorts } from './broker-ports'
import type { OpenAsks } from './open-asks'
import { resolvedEvent } from './permission-events'

export class RequestCloser {
  constructor(
    private readonly ports: Pick<BrokerPorts, 'journal' | 'changed'>,
    private readonly open: OpenAsks,
  ) {}

  /** Records the requests that a step closed, as events and rows. */
  close(step: LedgerStep): void {
    const events = step.closed.map(({ ask, outcome }): SessionEvent => resolvedEvent(ask, outcome))
    if (events.length > 0) void this.ports.journal.record(events, this.settle(step))
  }

  /** Takes a step and returns the rows of the requests that it closed. */
  settle(step: LedgerStep, outcome?: Closed['outcome']): { requests: RequestRow[] } {
    const requests = this.open.take(step, outcome)
    if (requests.length > 0) this.ports.changed()
    return { requests }
  }
}

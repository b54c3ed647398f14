/** Closes permission requests that nobody decided in time (PERM-4). */
import { expire } from '@roundhouse/delivery'
import { Deadlines } from '../journal/deadlines'
import type { BrokerPorts } from './broker-ports'
import type { OpenAsks } from './open-asks'
import type { RequestCloser } from './request-closer'

/** Timers stop while a machine sleeps; its clock does not. */
const LOOK_AGAIN_MS = 30_000

export class RequestExpiry {
  private readonly deadlines: Deadlines

  constructor(
    private readonly ports: Pick<BrokerPorts, 'now' | 'elapsed' | 'respond'>,
    private readonly open: OpenAsks,
    private readonly closer: RequestCloser,
  ) {
    this.deadlines = new Deadlines(ports.now, () => this.closeDue(), LOOK_AGAIN_MS, ports.elapsed)
  }

  /** The open requests are other ones now. */
  watch(): void {
    this.deadlines.set(
      this.open.undecided().flatMap(({ requestId: id, expiresAt: at }) => (at === undefined ? [] : { id, at })),
    )
  }

  closeDue(): void {
    const step = expire(this.open.ledger, ({ requestId }) => this.deadlines.isOver(requestId))
    const callIds = step.closed.map(({ ask }) => ask.callId)
    this.closer.close(step)
    // PERM-4: the backend hears that nobody decided, which is not a refusal.
    for (const callId of callIds) {
      void this.ports.respond({ callId, decision: 'deny', unanswered: true }).catch(() => {})
    }
    this.watch()
  }

  dispose(): void {
    this.deadlines.dispose()
  }
}

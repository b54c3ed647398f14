/**
 * Sends the logs of one connection: several batches in flight within the hub's credits, sessions in turn (FLOW-1), back
 * to where the hub wants it after a refusal (ACK-4). It reads the log at the moment of sending and keeps nothing.
 */
import {
  type ErrorBody,
  type EventBatch,
  type LinkLimits,
  lastSeqOf,
  toCodedError,
  type Verdict,
} from '@roundhouse/backend-types'
import { type RebaseOrder, SendPlanner } from '@roundhouse/delivery'
import { failpoint } from '@roundhouse/failpoint'
import { type AgentSocket, ask, RefusedByHub } from './agent-socket'
import type { LinkPorts } from './ports'

/** How long to wait when the hub refused for a reason that passes, and did not say how long. */
const HOLD_MS = 1_000

export class EventSender {
  private readonly planner: SendPlanner
  private heldUntil = 0
  private timer: NodeJS.Timeout | null = null
  private closed = false
  private armed = false

  constructor(
    private readonly socket: AgentSocket,
    private readonly limits: LinkLimits,
    private readonly hubEpoch: string,
    private readonly ports: LinkPorts,
    /** The connection is of no more use. */
    private readonly fail: (reason: string) => void,
  ) {
    this.planner = new SendPlanner(limits, hubEpoch)
  }

  verdict(verdict: Verdict): void {
    const { sessionId } = verdict
    this.rebase(sessionId, this.planner.verdict(verdict, this.ports.position(sessionId)))
    // What was appended while the hub was thinking.
    this.appended(sessionId, this.ports.position(sessionId).head)
  }

  appended(sessionId: string, head: number): void {
    this.planner.appended(sessionId, head)
    this.pump()
  }

  isDrained(): boolean {
    return this.planner.isDrained()
  }

  /** The hub asked for a pause. What is in flight stays so. */
  hold(ms: number): void {
    this.heldUntil = Math.max(this.heldUntil, Date.now() + ms)
    this.timer ??= setTimeout(() => {
      this.timer = null
      this.pump()
    }, ms)
  }

  close(): void {
    this.closed = true
    if (this.timer) clearTimeout(this.timer)
  }

  /** At the end of the turn, so that all sessions of a page of verdicts have their turn, and not the first alone. */
  private pump(): void {
    if (this.armed) return
    this.armed = true
    queueMicrotask(() => {
      this.armed = false
      this.sendAll()
    })
  }

  private sendAll(): void {
    if (this.closed) return
    const rest = this.heldUntil - Date.now()
    if (rest > 0) {
      this.hold(rest)
      return
    }
    while (this.socket.connected && this.sendOne()) {}
  }

  private sendOne(): boolean {
    const next = this.planner.next()
    if (!next) return false
    const { batchEvents: maxEvents, batchBytes: maxBytes } = this.limits
    const batch = this.ports.read(next.sessionId, next.after, next.upTo, { maxEvents, maxBytes })
    const last = batch?.events.at(-1)
    if (!batch || !last) {
      this.planner.drop(next.sessionId)
      return true
    }
    const bytes = batch.events.reduce((sum, event) => sum + Buffer.byteLength(event.body), 0)
    this.planner.sent(next.sessionId, { last: lastSeqOf(last), events: batch.events.length, bytes })
    failpoint('agent.afterAppend.beforeSend')
    void this.send(next.sessionId, { sessionId: next.sessionId, ...batch })
    return true
  }

  private async send(sessionId: string, batch: EventBatch): Promise<void> {
    try {
      const { acked } = await ask(this.socket, 'events', batch)
      if (this.closed) return
      failpoint('agent.afterAck.beforePersist')
      this.ports.acked(sessionId, acked, this.hubEpoch)
      this.rebase(sessionId, this.planner.acked(sessionId, acked))
      this.pump()
    } catch (error) {
      if (this.closed) return
      if (error instanceof RefusedByHub) this.refused(sessionId, error.error)
      else this.fail('the hub stopped answering')
    }
  }

  private refused(sessionId: string, error: ErrorBody): void {
    if (error.code === 'FENCED') {
      this.fail('a newer connection of this agent has taken over')
      return
    }
    if (error.retryable && error.code !== 'SEQ_GAP') this.hold(HOLD_MS)
    const next = this.planner.refused(sessionId, error)
    if (next.kind === 'rebase') this.rebase(sessionId, next.order)
    if (next.kind === 'stop') this.ports.stopped(sessionId, error)
    this.pump()
  }

  /** The lease holder moves the log (REB-1); until then nothing of this session is sent. */
  private rebase(sessionId: string, order: RebaseOrder | null): void {
    if (!order) return
    this.ports.rebase(sessionId, order, this.hubEpoch).then(
      () => {
        if (this.closed) return
        this.planner.rebased(sessionId, order.to, this.ports.position(sessionId).head)
        this.pump()
      },
      (error: unknown) => this.ports.log(`${sessionId}: its log could not be rebased: ${toCodedError(error).message}`),
    )
  }
}

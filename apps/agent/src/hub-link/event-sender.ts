/**
 * Sends the logs of one connection: several batches in flight within the hub's credits, sessions in turn (FLOW-1), back
 * to where the hub wants it after a refusal (ACK-4). It reads the log at the moment of sending and keeps nothing.
 */
import { type ErrorBody, type LinkLimits, lastSeqOf, type Verdict } from '@roundhouse/backend-types'
import { SendPlanner } from '@roundhouse/delivery'
import { type AgentSocket, ask, RefusedByHub } from './agent-socket'
import type { LinkPorts } from './ports'

/** How long to wait when the hub refused for a reason that passes, and did not say how long. */
const HOLD_MS = 1_000

export class EventSender {
  private readonly planner: SendPlanner
  private heldUntil = 0
  private timer: NodeJS.Timeout | null = null
  private closed = false
  private pumping = false

  constructor(
    private readonly socket: AgentSocket,
    private readonly limits: LinkLimits,
    private readonly hubEpoch: string,
    private readonly ports: LinkPorts,
    /** The connection is of no more use. */
    private readonly fail: (reason: string) => void,
  ) {
    this.planner = new SendPlanner(limits)
  }

  verdict(verdict: Verdict): void {
    this.planner.verdict(verdict, this.ports.head(verdict.sessionId))
    this.pump()
  }

  appended(sessionId: string, head: number): void {
    this.planner.appended(sessionId, head)
    this.pump()
  }

  drop(sessionId: string): void {
    this.planner.drop(sessionId)
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

  private pump(): void {
    if (this.pumping) return
    this.pumping = true
    try {
      while (!this.closed && this.socket.connected && Date.now() >= this.heldUntil && this.sendOne()) {}
      if (!this.closed && this.timer === null && Date.now() < this.heldUntil) this.hold(this.heldUntil - Date.now())
    } finally {
      this.pumping = false
    }
  }

  private sendOne(): boolean {
    const next = this.planner.next()
    if (!next) return false
    const { batchEvents: maxEvents, batchBytes: maxBytes } = this.limits
    const batch = this.ports.read(next.sessionId, next.after, { maxEvents, maxBytes })
    const first = batch?.events[0]
    const last = batch?.events.at(-1)
    if (!batch || !first || !last) {
      this.planner.drop(next.sessionId)
      return true
    }
    const bytes = batch.events.reduce((sum, event) => sum + Buffer.byteLength(event.body), 0)
    const size = { first: first.seq, last: lastSeqOf(last), events: batch.events.length, bytes }
    this.planner.sent(next.sessionId, size)
    void this.send(next.sessionId, { sessionId: next.sessionId, ...batch })
    return true
  }

  private async send(sessionId: string, batch: object): Promise<void> {
    try {
      const { acked } = await ask<{ acked: number }>(this.socket, 'events', batch)
      if (this.closed) return
      this.planner.acked(sessionId, acked)
      this.ports.acked(sessionId, acked, this.hubEpoch)
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
    const next = this.planner.refused(sessionId, error.code, numberIn(error, 'expected'))
    if ('rebase' in next) {
      const committed = numberIn(error, 'committed')
      const seq = numberIn(error, 'seq') ?? 0
      this.ports.trouble(sessionId, { kind: 'conflict', seq, ...(committed === undefined ? {} : { committed }) })
    } else if ('stop' in next) {
      this.ports.trouble(sessionId, { kind: 'stopped', error })
    }
    this.pump()
  }
}

function numberIn(error: ErrorBody, name: string): number | undefined {
  const value = error.details?.[name]
  return typeof value === 'number' ? value : undefined
}

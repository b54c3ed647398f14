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
import { type RebaseOrder, SendPlanner, type SendTurn } from '@roundhouse/delivery'
import { failpoint } from '@roundhouse/failpoint'
import { type Outlet, RefusedByHub } from './outlet'
import type { EventsToSend, LinkPorts, ReadLimits } from './ports'

/** How long to wait when the hub refused for a reason that passes, and did not say how long. */
const HOLD_MS = 1_000
/** A log that cannot be moved keeps nobody busy: each try starts a host. */
const LONGEST_HOLD_MS = 60_000

/** Refusals that pass and are about one session: it rests, ever longer up to this, and keeps no other waiting. */
const longestRestMs: Readonly<Record<string, number>> = { INTERNAL: 10_000, RATE_LIMITED: 60_000 }

export class EventSender {
  private readonly planner: SendPlanner
  /** By the clock that nobody can set, like every pause here. */
  private heldUntil = 0
  private timer: NodeJS.Timeout | null = null
  private readonly timers = new Set<NodeJS.Timeout>()
  /** Batches that wait for their answer. */
  private readonly flights = new Map<string, Set<Promise<void>>>()
  /** How often the log of a session became another one: what was said of the one before is not heard. */
  private readonly renewals = new Map<string, number>()
  /** How often it could not be moved. */
  private readonly unmoved = new Map<string, number>()
  /** How often, one behind the other, the hub failed to take what was sent of it. */
  private readonly untaken = new Map<string, number>()
  /** Left out since they could not be read; the hub's next word on them ends that. */
  private readonly left = new Set<string>()
  private closed = false
  private armed = false

  constructor(
    private readonly outlet: Outlet,
    private readonly limits: LinkLimits,
    private readonly hubEpoch: string,
    private readonly ports: LinkPorts,
    /** The connection is of no more use. */
    private readonly fail: (reason: string) => void,
    /** This session's log could not be read: it is reported anew, and goes on as the hub says then. */
    private readonly again: (sessionId: string) => void,
  ) {
    this.planner = new SendPlanner(limits, hubEpoch)
  }

  verdict(verdict: Verdict): void {
    const { sessionId } = verdict
    this.left.delete(sessionId)
    const position = this.ports.position(sessionId)
    this.rebase(sessionId, this.planner.verdict(verdict, position))
    // A hub that was restored acks nothing of a log that it holds whole; without this the log stays un-acked for good.
    if (verdict.verdict === 'resume' && position.ackedEpoch !== this.hubEpoch)
      this.ports.acked(sessionId, Math.min(position.acked, verdict.from - 1), this.hubEpoch)
    // What was appended while the hub was thinking.
    this.appended(sessionId, this.ports.position(sessionId).head)
  }

  appended(sessionId: string, head: number): void {
    if (this.left.has(sessionId)) this.again(sessionId)
    this.planner.appended(sessionId, head)
    this.pump()
  }

  /** Its log is another one. Resolves when the hub has answered all that was sent of the one before. */
  async renew(sessionId: string): Promise<void> {
    this.renewals.set(sessionId, this.renewal(sessionId) + 1)
    this.left.delete(sessionId)
    this.planner.drop(sessionId)
    await Promise.all(this.flights.get(sessionId) ?? [])
  }

  /** The hub asked for a pause. What is in flight stays so. */
  hold(ms: number): void {
    this.heldUntil = Math.max(this.heldUntil, performance.now() + ms)
    this.timer ??= setTimeout(() => {
      this.timer = null
      this.pump()
    }, ms)
  }

  close(): void {
    this.closed = true
    if (this.timer) clearTimeout(this.timer)
    for (const timer of this.timers) clearTimeout(timer)
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
    const rest = this.heldUntil - performance.now()
    if (rest > 0) {
      this.hold(rest)
      return
    }
    while (this.outlet.connected && this.sendOne()) {}
  }

  private sendOne(): boolean {
    const next = this.planner.next()
    if (!next) return false
    const { batchEvents: maxEvents, batchBytes: maxBytes } = this.limits
    const batch = this.read(next, { maxEvents, maxBytes })
    const last = batch?.events.at(-1)
    if (!batch || !last) {
      this.planner.drop(next.sessionId)
      return true
    }
    const bytes = batch.events.reduce((sum, event) => sum + Buffer.byteLength(event.body), 0)
    this.planner.sent(next.sessionId, { last: lastSeqOf(last), events: batch.events.length, bytes })
    failpoint('agent.afterAppend.beforeSend')
    this.fly(next.sessionId, this.send(next.sessionId, { sessionId: next.sessionId, ...batch }))
    return true
  }

  private fly(sessionId: string, answered: Promise<void>): void {
    const flights = this.flights.get(sessionId) ?? new Set()
    this.flights.set(sessionId, flights.add(answered))
    void answered.then(() => {
      flights.delete(answered)
      if (flights.size === 0) this.flights.delete(sessionId)
    })
  }

  private renewal(sessionId: string): number {
    return this.renewals.get(sessionId) ?? 0
  }

  /** What is wrong with one log keeps nobody else waiting. */
  private read({ sessionId, after, upTo }: SendTurn, limits: ReadLimits): EventsToSend | null {
    try {
      const batch = this.ports.read(sessionId, after, upTo, limits)
      if (!batch?.events.length) this.left.add(sessionId)
      return batch
    } catch (error) {
      const { code, message } = toCodedError(error)
      // That it cannot be read now was said by whoever tried.
      if (code !== 'STORAGE_UNAVAILABLE') this.ports.log(`${sessionId}: its log is sent later: ${message}`)
      this.againLater(sessionId, HOLD_MS)
      return null
    }
  }

  private againLater(sessionId: string, ms: number): void {
    if (this.closed) return
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      this.again(sessionId)
    }, ms)
    this.timers.add(timer)
  }

  private async send(sessionId: string, batch: EventBatch): Promise<void> {
    const renewal = this.renewal(sessionId)
    try {
      const { acked } = await this.outlet.ask('events', batch)
      if (this.closed || renewal !== this.renewal(sessionId)) return
      failpoint('agent.afterAck.beforePersist')
      this.untaken.delete(sessionId)
      this.ports.acked(sessionId, acked, this.hubEpoch)
      this.rebase(sessionId, this.planner.acked(sessionId, acked))
      this.pump()
    } catch (error) {
      if (this.closed) return
      const isOld = renewal !== this.renewal(sessionId)
      if (error instanceof RefusedByHub && isOld && error.error.code !== 'FENCED') return
      if (error instanceof RefusedByHub) this.refused(sessionId, error.error)
      else if (toCodedError(error).code === 'FRAME_TOO_LARGE') this.rest(sessionId, LONGEST_HOLD_MS)
      else this.fail('the hub stopped answering')
    }
  }

  private refused(sessionId: string, error: ErrorBody): void {
    if (error.code === 'FENCED') {
      this.fail('a newer connection of this agent has taken over')
      return
    }
    const longestMs = longestRestMs[error.code]
    if (longestMs !== undefined) {
      this.rest(sessionId, longestMs)
      return
    }
    if (error.retryable && error.code !== 'SEQ_GAP') this.hold(HOLD_MS)
    const next = this.planner.refused(sessionId, error)
    if (next.kind === 'rebase') this.rebase(sessionId, next.order)
    if (next.kind === 'stop') this.ports.stopped(sessionId, error)
    this.pump()
  }

  /** It is left out, and goes on as the hub says when it is reported again. */
  private rest(sessionId: string, longestMs: number): void {
    const times = this.untaken.get(sessionId) ?? 0
    this.untaken.set(sessionId, times + 1)
    const ms = Math.min(longestMs, HOLD_MS * 2 ** times)
    void this.renew(sessionId).then(() => this.againLater(sessionId, ms))
    this.pump()
  }

  /** The lease holder moves the log (REB-1); until then nothing of this session is sent. */
  private rebase(sessionId: string, order: RebaseOrder | null): void {
    if (!order) return
    const renewal = this.renewal(sessionId)
    this.ports.rebase(sessionId, order, this.hubEpoch).then(
      () => {
        if (this.closed || renewal !== this.renewal(sessionId)) return
        this.unmoved.delete(sessionId)
        this.planner.rebased(sessionId, order.to, this.ports.position(sessionId).head)
        this.pump()
      },
      (error: unknown) => {
        this.ports.log(`${sessionId}: its log could not be rebased yet: ${toCodedError(error).message}`)
        if (this.closed || renewal !== this.renewal(sessionId)) return
        const tries = this.unmoved.get(sessionId) ?? 0
        this.unmoved.set(sessionId, tries + 1)
        const pauseMs = Math.min(LONGEST_HOLD_MS, HOLD_MS * 2 ** tries)
        void this.renew(sessionId).then(() => this.againLater(sessionId, pauseMs))
      },
    )
  }
}

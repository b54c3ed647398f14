/**
 * Decides what the agent sends next on one connection: all its sessions, round robin, within the credit window
 * (FLOW-1), going back when the hub refuses (ACK-4) and stopping where the log must be rebased (REB-1).
 *
 *   verdict ── resume ──► checking ──► sending ◄── rebased()
 *      │                 ▲   │          │
 *      └─── rebase ──────┘   │          └─ SEQ_CONFLICT ─► checking
 *                            └─ SEQ_CONFLICT, or all compared and the hub has more or asks for it ─► rebase order
 *
 * Checking: what lies between the agent's own `acked` and the hub's `committed` is sent once more and must come back as
 * duplicate before anything new is sent. Only so is a log found that was put back to an older state and grew again.
 *
 * The planner holds numbers, never events. Two replies that cross may let it send a little again; the hub counts that as
 * duplicate.
 */
import type { LinkLimits, Verdict } from '@roundhouse/backend-types'

/** What the lease holder is to do: events after `held` move up behind a gap at `to + 1` (see `planRebase`). */
export interface RebaseOrder {
  /** The hub holds everything up to here, from this log or from one that was lost. */
  to: number
  /** Of this log, the hub is known to hold everything up to here. */
  held: number
}

export interface SendTurn {
  sessionId: string
  /** Read one batch after this number, at most `batchEvents` and `batchBytes`, with `fillHoles`. */
  after: number
  /** The last number that the batch may reach. */
  upTo: number
}

export type Refused =
  | { kind: 'rewind'; to: number }
  | { kind: 'rebase'; order: RebaseOrder }
  | { kind: 'stop' }
  /** The session is no longer served here, or waits for its rebase already. */
  | { kind: 'ignore' }

interface Flight {
  checking: boolean
  events: number
  bytes: number
}

interface Sending {
  head: number
  acked: number
  cursor: number
  checkTo: number
  /** The hub asked for a rebase: it follows as soon as it is known what the hub holds of this log. */
  rebaseDue: boolean
  state: 'sending' | 'rebasing' | 'stopped'
  flights: Flight[]
}

/** Refusals that pass by themselves: the same events are sent again later. */
const passing: ReadonlySet<string> = new Set(['STORAGE_UNAVAILABLE', 'FLOW_VIOLATION', 'INTERNAL', 'RATE_LIMITED'])

export class SendPlanner {
  readonly #limits: LinkLimits
  readonly #hubEpoch: string
  readonly #sessions = new Map<string, Sending>()
  #order: string[] = []
  #freeEvents: number
  #freeBytes: number

  constructor(limits: LinkLimits, hubEpoch: string) {
    this.#limits = limits
    this.#hubEpoch = hubEpoch
    this.#freeEvents = limits.windowEvents
    this.#freeBytes = limits.windowBytes
  }

  /**
   * The hub's word on a session that this connection reported, with what the log said then. An order to rebase comes
   * back when that is already clear. `deleted` and `not_yours` end the sending; the rest of them is the caller's.
   */
  verdict(verdict: Verdict, log: { head: number; acked: number; ackedEpoch: string }): RebaseOrder | null {
    const { sessionId } = verdict
    if (verdict.verdict === 'deleted' || verdict.verdict === 'not_yours') {
      this.drop(sessionId)
      return null
    }
    // A rebase that is asked for twice must not move events twice: for a session in service the refusal has said it all.
    if (this.#sessions.has(sessionId)) return null
    const committed = verdict.verdict === 'unknown' ? 0 : verdict.verdict === 'resume' ? verdict.from - 1 : verdict.to
    const rebaseDue = verdict.verdict === 'rebase'
    // What another hub epoch has acked of this log may never have reached the log that this hub holds.
    const trusted = rebaseDue && log.ackedEpoch !== this.#hubEpoch ? 0 : log.acked
    const acked = Math.min(trusted, committed)
    const session: Sending = {
      head: log.head,
      acked,
      cursor: acked,
      checkTo: committed,
      rebaseDue,
      state: 'sending',
      flights: [],
    }
    this.#sessions.set(sessionId, session)
    this.#order.push(sessionId)
    return this.#checked(session)
  }

  appended(sessionId: string, head: number): void {
    const session = this.#sessions.get(sessionId)
    if (session && head > session.head) session.head = head
  }

  /** Null when nothing may be sent now: all is sent, or the window has no room for a full batch. */
  next(): SendTurn | null {
    if (this.#freeEvents < this.#limits.batchEvents || this.#freeBytes < this.#limits.batchBytes) return null
    const index = this.#order.findIndex((id) => reachOf(this.#sessions.get(id)) !== null)
    const sessionId = this.#order[index]
    if (sessionId === undefined) return null
    this.#order = [...this.#order.slice(0, index), ...this.#order.slice(index + 1), sessionId]
    const session = this.#sessions.get(sessionId)
    const upTo = reachOf(session)
    return session && upTo !== null ? { sessionId, after: session.cursor, upTo } : null
  }

  sent(sessionId: string, batch: { last: number; events: number; bytes: number }): void {
    const session = this.#sessions.get(sessionId)
    if (!session) return
    session.flights.push({ checking: session.cursor < session.checkTo, events: batch.events, bytes: batch.bytes })
    session.cursor = Math.max(session.cursor, batch.last)
    this.#freeEvents -= batch.events
    this.#freeBytes -= batch.bytes
  }

  /** The answer to one batch, cumulative (ACK-1). An order to rebase comes back when the hub proves to hold more than this log has. */
  acked(sessionId: string, upTo: number): RebaseOrder | null {
    const session = this.#sessions.get(sessionId)
    if (!session) return null
    this.#land(session)
    if (session.state !== 'sending') return null
    session.acked = Math.max(session.acked, upTo)
    session.cursor = Math.max(session.cursor, session.acked)
    return this.#checked(session)
  }

  /** `error` as the hub answered it: `SEQ_GAP{expected}`, `SEQ_CONFLICT{seq, committed}`, or another code. */
  refused(sessionId: string, error: { code: string; details?: Record<string, unknown> | undefined }): Refused {
    const session = this.#sessions.get(sessionId)
    if (!session) return { kind: 'ignore' }
    const flight = this.#land(session)
    if (session.state !== 'sending') return { kind: 'ignore' }
    const { expected, seq, committed } = error.details ?? {}
    // An answer that was overtaken by an acknowledgement takes nothing back.
    if (error.code === 'SEQ_GAP' && typeof expected === 'number') {
      return rewind(session, Math.max(expected - 1, session.acked))
    }
    if (error.code === 'SEQ_CONFLICT' && typeof seq === 'number' && typeof committed === 'number') {
      if (!flight?.checking) return this.#check(session, committed)
      return { kind: 'rebase', order: orderRebase(session, { to: committed, held: seq - 1 }) }
    }
    if (passing.has(error.code)) return rewind(session, session.acked)
    session.state = 'stopped'
    return { kind: 'stop' }
  }

  /** The lease holder has moved the log; it now reads as acked up to `to`. */
  rebased(sessionId: string, to: number, head: number): void {
    const session = this.#sessions.get(sessionId)
    if (session?.state !== 'rebasing') return
    Object.assign(session, { state: 'sending', acked: to, cursor: to, checkTo: to, rebaseDue: false, head })
  }

  drop(sessionId: string): void {
    const session = this.#sessions.get(sessionId)
    if (!session) return
    while (session.flights.length > 0) this.#land(session)
    this.#sessions.delete(sessionId)
    this.#order = this.#order.filter((id) => id !== sessionId)
  }

  /** Everything that may be sent was sent and acked. */
  isDrained(): boolean {
    for (const session of this.#sessions.values()) {
      if (session.state === 'rebasing') return false
      if (session.state === 'sending' && (session.acked < session.head || session.flights.length > 0)) return false
    }
    return true
  }

  /** Every batch has one answer, in the order of sending; each gives back what its batch took. */
  #land(session: Sending): Flight | undefined {
    const flight = session.flights.shift()
    this.#freeEvents += flight?.events ?? 0
    this.#freeBytes += flight?.bytes ?? 0
    return flight
  }

  /** A conflict among several batches does not say what is held: compare one by one from `acked` on. */
  #check(session: Sending, committed: number): Refused {
    Object.assign(session, { checkTo: committed, rebaseDue: true, cursor: session.acked })
    const order = this.#checked(session)
    return order ? { kind: 'rebase', order } : { kind: 'rewind', to: session.acked }
  }

  /** All that can be compared is known to be held; if the hub has more than that, or another log, it is rebased now. */
  #checked(session: Sending): RebaseOrder | null {
    if (session.acked < Math.min(session.head, session.checkTo)) return null
    if (!session.rebaseDue && session.head >= session.checkTo) return null
    return orderRebase(session, { to: session.checkTo, held: session.acked })
  }
}

/** How far the next batch may reach; null when there is none. */
function reachOf(session: Sending | undefined): number | null {
  if (session?.state !== 'sending' || session.cursor >= session.head) return null
  // One batch at a time while checking: the first conflict then tells exactly what is held.
  if (session.cursor < session.checkTo)
    return session.flights.length > 0 ? null : Math.min(session.head, session.checkTo)
  return session.acked >= session.checkTo ? session.head : null
}

function orderRebase(session: Sending, order: RebaseOrder): RebaseOrder {
  session.state = 'rebasing'
  return order
}

function rewind(session: Sending, to: number): Refused {
  session.cursor = to
  return { kind: 'rewind', to }
}

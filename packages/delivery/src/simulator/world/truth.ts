/**
 * What really happened, kept outside every process that may forget it. Actors report here; each report is checked against
 * all that was reported before, and the first contradiction ends the run with the invariant's name.
 */
import type { Decision, EventEnvelope, StoredEvent } from '@roundhouse/backend-types'

export class Violation extends Error {
  constructor(
    readonly invariant: string,
    readonly what: string,
  ) {
    super(`${invariant}: ${what}`)
    this.name = 'Violation'
  }
}

export function demand(holds: boolean, invariant: string, what: () => string): asserts holds {
  if (!holds) throw new Violation(invariant, what())
}

export interface Fact {
  uid: string
  sessionId: string
  /** Its place among all facts of the session. */
  order: number
  /** `accepted`: the disk has confirmed it. `lost`: gone with a crash before that, or with the disk itself. */
  state: 'written' | 'accepted' | 'lost' | 'pruned'
}

export class Truth {
  readonly facts = new Map<string, Fact>()
  readonly #orders = new Map<string, number>()
  readonly starts = new Map<string, number>()
  readonly #applications = new Map<string, number>()
  readonly #won = new Map<string, { decision: Decision; digest: string }>()
  #restoredAt = 0
  readonly #lossy = new Set<string>()
  readonly #ordered = new Map<string, number>()
  readonly #shown = new Map<string, string>()
  readonly #acked = new Map<string, Map<number, string>>()
  /** Requests whose action is no longer what was shown: a file that it names has changed. */
  readonly changed = new Set<string>()
  /** Commands of which an agent said `done` when the hub asked again. */
  readonly answeredDone = new Set<string>()
  readonly blockTexts = new Map<string, string>()
  /** Events whose bytes changed in their log, with the hash that their host wrote: lost, but never in silence. */
  readonly damagedHashes = new Map<string, string>()

  written(sessionId: string, uid: string): void {
    const order = (this.#orders.get(sessionId) ?? 0) + 1
    this.#orders.set(sessionId, order)
    this.facts.set(uid, { uid, sessionId, order, state: 'written' })
  }

  accepted(uids: readonly string[]): void {
    for (const uid of uids) {
      const fact = this.facts.get(uid)
      if (fact?.state === 'written') fact.state = 'accepted'
    }
  }

  logLost(sessionId: string): void {
    this.#lossy.add(sessionId)
    this.#ordered.delete(sessionId)
    // A hub that was put back can no more hear of them, and nobody is left to say so.
    for (const fact of this.facts.values()) {
      if (fact.sessionId === sessionId && fact.state === 'pruned') fact.state = 'lost'
    }
  }

  damaged(uid: string, hash: string): void {
    this.damagedHashes.set(uid, hash)
  }

  gone(uids: readonly string[], state: 'lost' | 'pruned'): void {
    for (const uid of uids) {
      const fact = this.facts.get(uid)
      if (fact) fact.state = state
    }
  }

  /** I2, I1: what the hub stores is dense, in the order of the log, and nothing twice. */
  stored(sessionId: string, before: readonly StoredEvent[], added: readonly StoredEvent[]): void {
    let previous = before.at(-1)
    let lastOrder = this.#lastOrder(before)
    for (const event of added) {
      const expected = previous ? (previous.to ?? previous.seq) + 1 : 1
      demand(event.seq === expected, 'I2', () => `${sessionId}: ${event.seq} stored where ${expected} was due`)
      const order = this.facts.get(uidOf(event) ?? '')?.order
      if (order !== undefined) {
        // What is left of a lost log may come behind what the hub had heard since.
        const inOrder = order > lastOrder || this.#lossy.has(sessionId)
        demand(inOrder, 'I1', () => `${sessionId}: ${event.seq} is stored twice or out of order`)
        lastOrder = order
      }
      previous = event
    }
  }

  #lastOrder(rows: readonly StoredEvent[]): number {
    for (let index = rows.length - 1; index >= 0; index -= 1) {
      const row = rows[index]
      const order = row && this.facts.get(uidOf(row) ?? '')?.order
      if (order !== undefined) return order
    }
    return 0
  }

  /** I4: whatever was acked is there after every crash. A restored backup is another matter: `restored` forgets. */
  acked(sessionId: string, rows: readonly StoredEvent[], upTo: number): void {
    const known = this.#acked.get(sessionId) ?? new Map<number, string>()
    this.#acked.set(sessionId, known)
    for (let index = rows.length - 1; index >= 0; index -= 1) {
      const row = rows[index]
      if (!row || known.has(row.seq)) break
      if ((row.to ?? row.seq) <= upTo) known.set(row.seq, row.hash)
    }
  }

  survived(sessionId: string, rows: readonly StoredEvent[]): void {
    const hashes = new Map(rows.map((row) => [row.seq, row.hash]))
    for (const [seq, hash] of this.#acked.get(sessionId) ?? []) {
      demand(hashes.get(seq) === hash, 'I4', () => `${sessionId}: ${seq} was acked and is gone`)
    }
  }

  restored(now: number): void {
    this.#restoredAt = now
    this.#acked.clear()
    this.#ordered.clear()
  }

  /** I3: within one hub epoch a number never shows another event. */
  shown(hubEpoch: string, sessionId: string, events: readonly EventEnvelope[]): void {
    for (const { seq, hash } of events) {
      const key = `${hubEpoch} ${sessionId} ${seq}`
      const known = this.#shown.get(key)
      demand(known === undefined || known === hash, 'I3', () => `${sessionId}: ${seq} was shown with another content`)
      this.#shown.set(key, hash)
    }
  }

  /** I8. */
  started(commandId: string): void {
    const starts = (this.starts.get(commandId) ?? 0) + 1
    this.starts.set(commandId, starts)
    demand(starts === 1, 'I8', () => `${commandId} was started ${starts} times`)
  }

  /** CMD-2. A hub or a log that was put back begins a new count. */
  tookOrdered(sessionId: string, cmdSeq: number, createdAt: number): void {
    if (createdAt < this.#restoredAt) return
    const last = this.#ordered.get(sessionId) ?? 0
    demand(cmdSeq > last, 'CMD-2', () => `${sessionId}: command ${cmdSeq} was accepted after ${last}`)
    this.#ordered.set(sessionId, cmdSeq)
  }

  /** I6, the decision half: `overwrote` is what the register held before. */
  won(
    requestId: string,
    decision: { decision: Decision; digest: string; commandId: string },
    overwrote: boolean,
  ): void {
    demand(!overwrote, 'I6', () => `${requestId} was decided twice`)
    this.#won.set(`${requestId} ${decision.commandId}`, decision)
  }

  /** I6, the application half, and I7: what runs was allowed, and allowed as it is. */
  applied(
    requestId: string,
    how: { commandId: string; decision: Decision; digest: string } | { grant: boolean },
  ): void {
    const times = (this.#applications.get(requestId) ?? 0) + 1
    this.#applications.set(requestId, times)
    demand(times === 1, 'I6', () => `${requestId} was applied ${times} times`)
    if ('grant' in how) {
      demand(how.grant, 'I7', () => `${requestId} ran by a grant that does not cover it`)
      return
    }
    const allows = how.decision === 'allow' || how.decision === 'allow_session'
    demand(!allows || !this.changed.has(requestId), 'I7', () => `${requestId} ran changed`)
    const decision = this.#won.get(`${requestId} ${how.commandId}`)
    demand(
      decision !== undefined && decision.decision === how.decision && decision.digest === how.digest,
      'I7',
      () => `${requestId} was decided as ${how.decision} but nobody made that decision`,
    )
  }

  applicationsOf(requestId: string): number {
    return this.#applications.get(requestId) ?? 0
  }

  /** LOG-5: live text is always a piece of what was written. */
  showedLive(blockId: string, from: number, text: string): void {
    const whole = this.blockTexts.get(blockId) ?? ''
    demand(whole.slice(from, from + text.length) === text, 'LOG-5', () => `${blockId} shows text that nobody wrote`)
  }
}

/** Every simulated body begins with its own id; gaps have none. */
export function uidOf(event: { body: string }): string | null {
  return event.body.startsWith(uidStart)
    ? event.body.slice(uidStart.length, event.body.indexOf('"', uidStart.length))
    : null
}
const uidStart = '{"uid":"'

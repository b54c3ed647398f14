/** What no message triggers: peers that fall silent or are gone, and messages that are old (BUS-2, BUS-8). */
import type { Doorbells } from '../../doorbells/doorbells'
import type { BusStore, PeerRow } from '../../ports/bus-store'
import type { Arrivals } from './arrivals'
import { type Budget, overspent } from './budget'
import type { PeerBook } from './peer-book'
import { judgeSilence, sendsHeartbeats, written } from './peer-life'
import type { ToldLimit } from './told-limit'

export interface BusClockDeps {
  arrivals: Pick<Arrivals, 'changed' | 'inTurns' | 'ofSessions'>
  bus: Pick<BusStore, 'append' | 'forgetBefore' | 'forgetOfSessions'>
  book: PeerBook
  told: ToldLimit
  doorbells: Doorbells
  now: () => number
  elapsed: () => number
  /** The clock for deletions by age. */
  steady: { now: () => number }
  presence: { isOnline: (agentId: string) => boolean }
  budget: Budget
  /** How long messages are kept. */
  keptDays?: number | undefined
  /** What the messages of all sessions may take. */
  sessionBytes: number
}

const DAY_MS = 24 * 3_600_000
/** Messages are kept so long, if the operator does not say otherwise. */
export const KEPT_DAYS = 30
const CLEAN_EVERY_MS = 60_000
const SEEN_EVERY_MS = 5_000
/** One step. What else waits to be written is written between two steps. */
const FORGOTTEN_AT_ONCE = 500
/** More in a second than all peers together say. The rest is removed by the next tick. */
const MOST_STEPS = 40

/** A smaller step is a clock that is corrected bit by bit. */
const JUMP_MS = 1_000

interface Tick {
  now: number
  elapsed: number
}

export class BusClock {
  readonly #deps: BusClockDeps
  /** Peers with a connection, by how many. */
  readonly #connections = new Map<string, number>()
  #cleanedAt: number
  /** A hub that was down heard nobody: silence counts from its start. */
  #isNew = true
  #isOverspent = false
  #lastTick: Tick

  constructor(deps: BusClockDeps) {
    this.#deps = deps
    this.#cleanedAt = deps.elapsed()
    this.#lastTick = { now: deps.now(), elapsed: deps.elapsed() }
  }

  connected(peerId: string): void {
    this.#connections.set(peerId, (this.#connections.get(peerId) ?? 0) + 1)
  }

  /** True if it was the last one. */
  disconnected(peerId: string): boolean {
    const left = (this.#connections.get(peerId) ?? 1) - 1
    if (left > 0) this.#connections.set(peerId, left)
    else this.#connections.delete(peerId)
    return left <= 0
  }

  isConnected(peerId: string): boolean {
    return this.#connections.has(peerId)
  }

  async tick(): Promise<void> {
    const { arrivals, book } = this.#deps
    await book.ready()
    await this.#followClock()
    const silent = book.all().filter((peer) => this.#judge(peer) !== null)
    const programs = silent.filter(({ kind }) => kind !== 'session').map(({ peerId }) => peerId)
    const sessions = silent.filter(({ kind }) => kind === 'session').map(({ peerId }) => peerId)
    if (programs.length > 0) await arrivals.inTurns(programs, () => this.#change(programs))
    if (sessions.length > 0) await arrivals.ofSessions(() => this.#change(sessions))
    await this.#tellCounts()
    await this.#warn()
    await this.#forgetOld()
    await this.#makeRoom()
  }

  /** Called in their turns: whoever spoke meanwhile is judged by that. */
  async #change(peerIds: readonly string[]): Promise<void> {
    const { arrivals, book, bus, told } = this.#deps
    const changes = peerIds.flatMap((peerId) => {
      const peer = book.get(peerId)
      return (peer && this.#judge(peer)) ?? []
    })
    if (changes.length === 0) return
    const draft = told.draft()
    const { rows, ...write } = written(...changes)
    await bus.append({ ...write, rows: draft.limit(rows) })
    draft.count()
    for (const { peer } of changes) book.put(peer)
    arrivals.changed(
      changes.map(({ peer }) => peer),
      changes.flatMap(({ asks }) => asks),
    )
  }

  /** When somebody sets the clock, the times of what was heard before move with it (BUS-8.13). */
  async #followClock(): Promise<void> {
    const { arrivals, book, now, elapsed } = this.#deps
    const tick = { now: now(), elapsed: elapsed() }
    const took = tick.elapsed - this.#lastTick.elapsed
    const jump = tick.now - this.#lastTick.now - took
    const isNew = this.#isNew
    this.#lastTick = tick
    this.#isNew = false
    if (!isNew && Math.abs(jump) < JUMP_MS) return
    const isHeardSince = ({ seenAt }: PeerRow) => seenAt > tick.now - took && seenAt <= now()
    const move = (peer: PeerRow) => {
      if (isNew && peer.state !== 'left') book.put({ ...peer, seenAt: now() })
      else if (peer.state !== 'left' && !isHeardSince(peer)) book.put({ ...peer, seenAt: peer.seenAt + jump })
    }
    const isSession = ({ kind }: PeerRow) => kind === 'session'
    for (const peer of book.all()) if (!isSession(peer)) move(peer)
    await arrivals.ofSessions(async () => {
      for (const peer of book.all()) if (isSession(peer)) move(peer)
    })
  }

  async #tellCounts(): Promise<void> {
    const { told, bus, doorbells, now } = this.#deps
    const due = told.due(now())
    if (due.rows.length > 0) await bus.append({ rows: due.rows })
    due.told()
    if (due.rows.length > 0) doorbells.ring('bus', {})
  }

  /** Once, until they cost less again. */
  async #warn(): Promise<void> {
    const { book, bus, doorbells, budget, now } = this.#deps
    const warning = overspent(book.all(), budget, now())
    if (warning && !this.#isOverspent) {
      await bus.append({ rows: [warning] })
      doorbells.ring('bus', {})
    }
    this.#isOverspent = warning !== null
  }

  #judge(peer: PeerRow) {
    const { book, now, presence } = this.#deps
    if (peer.state === 'left') return null
    const isLinked =
      peer.kind === 'session'
        ? peer.agentId !== null && presence.isOnline(peer.agentId)
        : this.isConnected(peer.peerId) && !sendsHeartbeats(peer)
    if (!isLinked) return judgeSilence(peer, now(), peer.kind === 'session' || this.isConnected(peer.peerId))
    // A hub has many peers: their time is noted now and then.
    if (peer.state === 'stale' || now() - peer.seenAt > SEEN_EVERY_MS)
      book.put({ ...peer, seenAt: now(), state: 'here' })
    return null
  }

  /** What sessions say is never refused, so their oldest messages give way, and those who publish find room (BUS-5.8). */
  async #makeRoom(): Promise<void> {
    const { bus, sessionBytes } = this.#deps
    for (let step = 0; step < MOST_STEPS; step += 1)
      if ((await bus.forgetOfSessions(sessionBytes, FORGOTTEN_AT_ONCE)) === 0) return
  }

  async #forgetOld(): Promise<void> {
    const { bus, elapsed, steady, keptDays = KEPT_DAYS } = this.#deps
    if (elapsed() - this.#cleanedAt < CLEAN_EVERY_MS) return
    const before = steady.now() - keptDays * DAY_MS
    for (let step = 0; step < MOST_STEPS; step += 1) {
      if ((await bus.forgetBefore(before, FORGOTTEN_AT_ONCE)) === FORGOTTEN_AT_ONCE) continue
      this.#cleanedAt = elapsed()
      return
    }
  }
}

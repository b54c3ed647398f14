/** How programs and people come to the bus: the first thing that one says begins its life (BUS-8.2), and one after the other is heard. */
import { CodedError, type PeerRole } from '@roundhouse/backend-types'
import { type Actor, busRole } from '../../access/access'
import { type RightsGuard, requireStill } from '../../access/standing'
import type { Changes } from '../../doorbells/changes'
import type { Doorbells } from '../../doorbells/doorbells'
import { isNameOf, nameOfPeer } from '../../names/peer-name'
import type { AskStep } from '../../ports/ask-store'
import type { BusAudience, BusStore, LeftReason, PeerRow } from '../../ports/bus-store'
import { AskNews } from './ask-news'
import { type PeerBook, peerIdOf } from './peer-book'
import { type Changed, join, leave, written } from './peer-life'
import type { ToldLimit } from './told-limit'

export interface ArrivalsDeps {
  bus: Pick<BusStore, 'append'>
  book: PeerBook
  changes: Pick<Changes, 'asks'>
  doorbells: Doorbells
  now: () => number
  told: ToldLimit
  log: { warn(facts: object, text: string): void }
}

/** No peer has this id. */
const SESSIONS = ' sessions'

export interface Wanted {
  role?: PeerRole | undefined
  /** What it calls itself. */
  name?: string | undefined
}

/** The rights by which something was taken still hold when it is written (AUTH-1). */
export const guardOf = (actor: Actor, now: () => number): RightsGuard => ({
  credential: actor.credential,
  require: (standing) => requireStill(actor, standing, now()),
})

export class Arrivals {
  readonly #deps: ArrivalsDeps
  readonly #news = new AskNews()
  readonly #lanes = new Map<string, Promise<unknown>>()

  constructor(deps: ArrivalsDeps) {
    this.#deps = deps
  }

  /** One after the other for each peer: a phase is judged by the one before it. */
  inTurn<T>(peerId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#lanes.get(peerId) ?? Promise.resolve()
    const turn = before.then(work, work)
    const quiet = turn.catch(() => {})
    this.#lanes.set(peerId, quiet)
    void quiet.then(() => {
      if (this.#lanes.get(peerId) === quiet) this.#lanes.delete(peerId)
    })
    return turn
  }

  /** In the turns of all of these programs and people at once. Only the clock asks for more than one, so no two wait for each other. */
  inTurns(peerIds: readonly string[], work: () => Promise<void>): Promise<void> {
    const [first, ...others] = peerIds
    return first === undefined ? work() : this.inTurn(first, () => this.inTurns(others, work))
  }

  /** The turn of all sessions: what their logs say of them, and what the clock says, change the same rows. */
  ofSessions(work: () => Promise<void>): Promise<void> {
    return this.inTurn(SESSIONS, work)
  }

  /** The peer as it is now, alive. Called in its turn. */
  async arrive(actor: Actor, { role: asked, name: claim }: Wanted): Promise<PeerRow> {
    const { book, now } = this.#deps
    const most = busRole(actor)
    if (!most || (asked === 'orchestrator' && most === 'worker')) throw new CodedError('FORBIDDEN')
    const name = nameOfPeer(actor, claim)
    await book.ready()
    const peerId = peerIdOf(actor)
    const known = book.get(peerId)
    const role = asked ?? (known && known.state !== 'left' && most === 'orchestrator' ? known.role : most)
    const kind = actor.credential.kind === 'token' ? 'token' : 'person'
    const newcomer = {
      peerId,
      kind,
      role,
      name,
      agentId: null,
      userId: actor.userId,
    } as const
    if (!known || known.state === 'left' || known.role !== role)
      return this.#commit(join(newcomer, now()), guardOf(actor, now))
    // Also one that the hub knew before its person or token was called otherwise.
    const keeps = claim === undefined && isNameOf(actor, known.name)
    const peer: PeerRow = { ...known, name: keeps ? known.name : name, seenAt: now(), state: 'here' }
    book.put(peer)
    return peer
  }

  leave(peerId: string, reason: LeftReason): Promise<void> {
    const { book, now } = this.#deps
    return this.inTurn(peerId, async () => {
      await book.ready()
      const peer = book.get(peerId)
      if (!peer || peer.state === 'left') return
      await this.#commit(leave(peer, peer.facts.completed ? 'clean' : reason, now()))
    })
  }

  /** Its next move to this phase counts. Nobody waits: this is its turn before it can have heard of it. */
  force({ peerId, phase }: { peerId: string; phase: string }): void {
    const { book, bus, log } = this.#deps
    this.inTurn(peerId, async () => {
      const peer = book.get(peerId)
      if (!peer || peer.state === 'left') return
      const forced = { ...peer, facts: { ...peer.facts, forcedPhase: phase } }
      await bus.append({ rows: [], peers: [forced] })
      book.put(forced)
    }).catch((error) => log.warn({ error: String(error) }, 'a phase that an orchestrator wants could not be noted'))
  }

  /** In its turn too: what is being written of it was judged without this sign of life. */
  seen(peerId: string): void {
    const { book, now } = this.#deps
    void this.inTurn(peerId, async () => {
      const peer = book.get(peerId)
      if (peer && peer.state !== 'left') book.put({ ...peer, seenAt: now(), state: 'here' })
    })
  }

  /** The bus has new messages. `of`: peers that came, went, moved on or whose asks changed, by these steps. */
  changed(of: readonly BusAudience[], steps: readonly AskStep[] = []): void {
    const { doorbells, changes } = this.#deps
    doorbells.ring('bus', {})
    if (of.length > 0) doorbells.ring('peers', { of })
    if (this.#news.changes(steps)) changes.asks(of)
  }

  async #commit(change: Changed, guard?: RightsGuard): Promise<PeerRow> {
    const { bus, book, told } = this.#deps
    const { peer } = change
    const draft = told.draft()
    const { rows, ...write } = written(change)
    await bus.append({ ...write, rows: draft.limit(rows) }, guard)
    draft.count()
    book.put(peer)
    this.changed([peer], change.asks)
    return peer
  }
}

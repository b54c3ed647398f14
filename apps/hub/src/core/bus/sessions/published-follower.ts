/**
 * Gives each thing that a session said on the bus its offset, behind the ack and once for each event (BUS-2): rows, peers and the
 * cursor of this follower commit together. Memory changes after that, so a failed commit is read again from what is stored.
 */
import { parseEventBody, type SessionEvent, type StoredEvent } from '@roundhouse/backend-types'
import type { Follower, FollowerWrite } from '../../followers/follower'
import type { AppendEntry } from '../../ports/append-store'
import type { AskStep } from '../../ports/ask-store'
import type { BusStore, PeerRow } from '../../ports/bus-store'
import type { Reads } from '../../ports/stores'
import type { PeerBook } from '../peers/peer-book'
import type { TaskOwners } from '../peers/task-owners'
import type { ToldLimit } from '../peers/told-limit'
import { busKinds, Life, projectSession, type SessionFacts } from './project-session'

export interface PublishedFollowerDeps {
  book: PeerBook
  told: ToldLimit
  owners: TaskOwners
  bus: Pick<BusStore, 'appendIn' | 'eraseIn'>
  reads: Pick<Reads, 'sessions' | 'trees'>
  /** What came of a run, by its log; null: its log does not say. */
  outcomeOf: (runId: string) => Promise<string | null>
  /** What it makes of peers stands on what they are, so nobody else changes sessions meanwhile. */
  inTurn: (work: () => Promise<void>) => Promise<void>
  /** The bus has new messages. */
  changed: (peers: readonly PeerRow[], asks: readonly AskStep[]) => void
}

export class PublishedFollower implements Follower {
  readonly name = 'bus'
  readonly kinds = busKinds
  readonly #deps: PublishedFollowerDeps
  #written: () => void = () => {}

  constructor(deps: PublishedFollowerDeps) {
    this.#deps = deps
  }

  async take(entries: readonly AppendEntry[]): Promise<FollowerWrite | null> {
    const { book, bus, told, owners } = this.#deps
    await book.ready()
    await owners.refresh()
    const find = await book.recall(entries.flatMap((entry) => (entry.kind === 'events' ? [entry.sessionId] : [])))
    const lives = new Map<string, Life>()
    const draft = told.draft()
    const rows: Life['rows'] = []
    const asks: AskStep[] = []
    const erased = new Set<string>()
    for (const entry of entries) {
      if (entry.kind === 'erased') erased.add(entry.sessionId)
      if (entry.kind !== 'events' || erased.has(entry.sessionId)) continue
      const facts = await this.#factsOf(entry.sessionId, entry.events.some(isEnd))
      if (!facts) continue
      const life = lives.get(entry.sessionId) ?? new Life(find(entry.sessionId) ?? null)
      lives.set(entry.sessionId, life)
      for (const event of entry.events) project(life, facts, event)
      rows.push(...draft.limit(life.rows.splice(0)))
      asks.push(...life.asks.splice(0))
    }
    if (rows.length === 0 && lives.size === 0 && erased.size === 0) return null
    const peers = [...lives.values()].flatMap(({ peer }) => (peer && !erased.has(peer.peerId) ? [peer] : []))
    this.#written = () => {
      draft.count()
      for (const peer of peers) book.put(peer)
      for (const sessionId of erased) {
        book.erase(sessionId)
        told.forget(sessionId)
      }
      this.#deps.changed(peers, asks)
    }
    return async (tx) => {
      await bus.appendIn(tx, {
        rows: rows.filter(({ sessionId }) => !erased.has(sessionId ?? '')),
        peers,
        asks: asks.filter((step) => !('peerId' in step && erased.has(step.peerId))),
      })
      for (const sessionId of erased) await bus.eraseIn(tx, sessionId)
    }
  }

  inTurn(work: () => Promise<void>): Promise<void> {
    return this.#deps.inTurn(work)
  }

  written(): void {
    this.#written()
    this.#written = () => {}
  }

  /** Null: it is deleted. */
  async #factsOf(sessionId: string, hasEnd: boolean): Promise<SessionFacts | null> {
    const { reads, owners, outcomeOf } = this.#deps
    const session = await reads.sessions.find(sessionId)
    if (!session) return null
    const { agentId, title, onPermission } = session
    const parentId = (await reads.trees.places([sessionId])).get(sessionId)?.node?.parentId
    const name = title.slice(0, 128) || sessionId
    const peer = { peerId: sessionId, agentId, userId: null }
    const outcome = hasEnd && onPermission !== null ? await outcomeOf(sessionId) : null
    return { sessionId, agentId, title: name, parentId, outcome, hasTask: (taskId) => owners.hasTask(peer, taskId) }
  }
}

const isEnd = ({ kind }: StoredEvent): boolean => kind === 'session_ended'

function project(life: Life, facts: SessionFacts, { seq, at, storedAt, body }: StoredEvent): void {
  const event = parseEventBody(body)
  if (event && event.kind !== 'tombstone' && event.kind !== 'opaque')
    projectSession(life, event as SessionEvent, facts, { seq, at, storedAt })
}

/**
 * Who speaks on the bus, and their tasks: a copy in memory of what the store holds, which changes only after the store did. Of
 * sessions it has those that spoke last. Another one comes back by its name, or when it speaks.
 */
import type { Actor } from '../../access/access'
import { type BusStore, type BusTask, type PeerRow, TASKS_KEPT } from '../../ports/bus-store'

/** More sessions than work at once. The others are at rest: they cost nothing here, and nobody watches whether they fall silent. */
export const SESSIONS_KEPT = 256

type BookStore = Pick<BusStore, 'peers' | 'peersById' | 'tasks'>

interface Log {
  warn(facts: object, text: string): void
}

export class PeerBook {
  readonly #store: BookStore
  readonly #log: Log
  readonly #peers = new Map<string, PeerRow>()
  /** Ids of sessions among them; who spoke last is at the end. */
  readonly #sessions = new Set<string>()
  /** What each person assigned, the newest last. */
  readonly #assigned = new Map<string, Map<string, BusTask>>()
  /** Who assigned this task to this peer. */
  readonly #owners = new Map<string, Set<string>>()
  #loading: Promise<void> | null = null

  constructor(store: BookStore, log: Log) {
    this.#store = store
    this.#log = log
  }

  /** Loaded once. A failure is tried again by whoever comes next. */
  ready(): Promise<void> {
    this.#loading ??= this.#load().catch((error) => {
      this.#loading = null
      throw error
    })
    return this.#loading
  }

  async #load(): Promise<void> {
    const [{ peers, damaged }, tasks] = await Promise.all([this.#store.peers(SESSIONS_KEPT), this.#store.tasks()])
    if (damaged > 0) this.#log.warn({ damaged }, 'rows of peers of the bus are damaged and left out')
    for (const peer of peers) this.put(peer)
    this.tasksGiven(tasks)
  }

  /** Finds each of them that there is, also one that gave way to the others meanwhile. */
  async recall(peerIds: readonly string[]): Promise<(peerId: string) => PeerRow | undefined> {
    const recalled = new Map<string, PeerRow>()
    const missing: string[] = []
    for (const peerId of peerIds) {
      const peer = this.#peers.get(peerId)
      if (peer) recalled.set(peerId, peer)
      else missing.push(peerId)
    }
    const { peers } = missing.length > 0 ? await this.#store.peersById(missing) : { peers: [] }
    for (const stored of peers) {
      const peer = this.#peers.get(stored.peerId) ?? stored
      recalled.set(peer.peerId, peer)
      this.put(peer)
    }
    return (peerId) => this.#peers.get(peerId) ?? recalled.get(peerId)
  }

  get(peerId: string): PeerRow | undefined {
    return this.#peers.get(peerId)
  }

  all(): PeerRow[] {
    return [...this.#peers.values()]
  }

  put(peer: PeerRow): void {
    this.#peers.set(peer.peerId, peer)
    if (peer.kind !== 'session') return
    this.#sessions.delete(peer.peerId)
    this.#sessions.add(peer.peerId)
    const [oldest] = this.#sessions
    if (this.#sessions.size > SESSIONS_KEPT && oldest !== undefined) this.remove(oldest)
  }

  remove(peerId: string): void {
    this.#peers.delete(peerId)
    this.#sessions.delete(peerId)
  }

  /** It is deleted, and its tasks with it. */
  erase(sessionId: string): void {
    this.remove(sessionId)
    for (const [, tasks] of this.#assigned)
      for (const task of tasks.values()) if (task.peerId === sessionId) this.#untask(task)
  }

  tasksGiven(tasks: readonly BusTask[]): void {
    for (const task of tasks) {
      const { ownerId } = task
      const assigned = this.#assigned.get(ownerId) ?? new Map<string, BusTask>()
      this.#assigned.set(ownerId, assigned)
      assigned.delete(keyOf(task))
      assigned.set(keyOf(task), task)
      this.#owners.set(keyOf(task), (this.#owners.get(keyOf(task)) ?? new Set()).add(ownerId))
      const [oldest] = assigned.values()
      if (assigned.size > TASKS_KEPT && oldest) this.#untask(oldest)
    }
  }

  #untask(task: BusTask): void {
    const assigned = this.#assigned.get(task.ownerId)
    assigned?.delete(keyOf(task))
    if (assigned?.size === 0) this.#assigned.delete(task.ownerId)
    const owners = this.#owners.get(keyOf(task))
    owners?.delete(task.ownerId)
    if (owners?.size === 0) this.#owners.delete(keyOf(task))
  }

  /** The people who assigned this task to this peer. */
  taskOwners(peerId: string, taskId: string): ReadonlySet<string> {
    return this.#owners.get(keyOf({ peerId, taskId })) ?? NOBODY
  }

  /** Everybody who assigned a task. */
  owners(): string[] {
    return [...this.#assigned.keys()]
  }
}

const NOBODY: ReadonlySet<string> = new Set()
const keyOf = ({ peerId, taskId }: Pick<BusTask, 'peerId' | 'taskId'>): string => `${peerId} ${taskId}`

/** A token is one peer, however many connections show it; so is a person. */
export const peerIdOf = ({ credential, userId }: Actor): string =>
  credential.kind === 'token' ? `p_${credential.id}` : `u_${userId}`

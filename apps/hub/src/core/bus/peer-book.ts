/** Everybody who speaks on the bus, and their tasks. A copy in memory of what the store holds; it changes only after the store did. */
import type { Actor } from '../access/access'
import type { BusStore, BusTask, PeerRow } from '../ports/bus-store'

export class PeerBook {
  readonly #store: Pick<BusStore, 'peers' | 'tasks'>
  readonly #peers = new Map<string, PeerRow>()
  readonly #tasks = new Map<string, Set<string>>()
  #loading: Promise<void> | null = null

  constructor(store: Pick<BusStore, 'peers' | 'tasks'>) {
    this.#store = store
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
    const [peers, tasks] = await Promise.all([this.#store.peers(), this.#store.tasks()])
    for (const peer of peers) this.#peers.set(peer.peerId, peer)
    this.tasksGiven(tasks)
  }

  get(peerId: string): PeerRow | undefined {
    return this.#peers.get(peerId)
  }

  all(): PeerRow[] {
    return [...this.#peers.values()]
  }

  put(peer: PeerRow): void {
    this.#peers.set(peer.peerId, peer)
  }

  remove(peerId: string): void {
    this.#peers.delete(peerId)
  }

  tasksGiven(tasks: readonly BusTask[]): void {
    for (const { taskId, peerId } of tasks) {
      const ofPeer = this.#tasks.get(peerId) ?? new Set()
      this.#tasks.set(peerId, ofPeer.add(taskId))
    }
  }

  hasTask(peerId: string, taskId: string): boolean {
    return this.#tasks.get(peerId)?.has(taskId) === true
  }
}

/** A token is one peer, however many connections show it; so is a person. */
export const peerIdOf = ({ credential, userId }: Actor): string =>
  credential.kind === 'token' ? `p_${credential.id}` : `u_${userId}`

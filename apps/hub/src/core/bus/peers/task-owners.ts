/**
 * The people who assigned tasks, with the rights that they have now. Who assigned a task may lose machines, or the right to conduct at
 * all: then the task counts only as far as they still see whom it is for and what is said on it (BUS-7.8).
 */
import { type Actor, can } from '../../access/access'
import { rightsOf } from '../../access/standing'
import type { BusAudience } from '../../ports/bus-store'
import type { Reads } from '../../ports/stores'
import { isAudience } from '../reading/bus-sight'
import type { PeerBook } from './peer-book'

export interface TaskOwnersDeps {
  book: Pick<PeerBook, 'owners' | 'taskOwners'>
  reads: { hub: Pick<Reads['hub'], 'rightsVersion'>; people: Pick<Reads['people'], 'standing'> }
  now: () => number
}

type Owner = Pick<Actor, 'userId' | 'agents'>

export class TaskOwners {
  readonly #deps: TaskOwnersDeps
  /** Null: may conduct no more. */
  #owners = new Map<string, Owner | null>()
  #version: number | null = null

  constructor(deps: TaskOwnersDeps) {
    this.#deps = deps
  }

  /** Afterwards the rights of each are those that they have now. */
  async refresh(): Promise<void> {
    const { book, reads } = this.#deps
    if (book.owners().length === 0) return
    // Read before the people: a change in between counts at the next call.
    const version = await reads.hub.rightsVersion()
    const owners = new Map(version === this.#version ? this.#owners : [])
    for (let missing = book.owners(); missing.length > 0; missing = book.owners().filter((id) => !owners.has(id)))
      for (const id of missing) if (!owners.has(id)) owners.set(id, await this.#read(id))
    this.#owners = owners
    this.#version = version
  }

  async #read(id: string): Promise<Owner | null> {
    const { reads, now } = this.#deps
    const rights = rightsOf(await reads.people.standing({ kind: 'person', id }), now())
    return rights && can(rights, 'bus.orchestrate') ? rights : null
  }

  /** They assigned a task just now, with these rights. */
  assigned({ userId, agents }: Actor): void {
    if (!this.#owners.has(userId)) this.#owners.set(userId, { userId, agents })
  }

  sees(ownerId: string, audience: BusAudience): boolean {
    const owner = this.#owners.get(ownerId)
    return owner ? isAudience(owner, audience) : false
  }

  /** Somebody who still sees the peer assigned the task to it. */
  hasTask(peer: BusAudience & { peerId: string }, taskId: string): boolean {
    return [...this.#deps.book.taskOwners(peer.peerId, taskId)].some((ownerId) => this.sees(ownerId, peer))
  }
}

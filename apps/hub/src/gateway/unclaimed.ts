/**
 * Connections that have not entered a namespace: nobody's yet. So many may wait for each person who showed a token, and for each
 * network of a browser, which proves its key only afterwards. Where all places are taken, the network that holds most loses its
 * oldest: a crowd shuts nobody else out (T16).
 */
import { clientNetwork } from '../core'

export const UNCLAIMED_PER_PERSON = 32
export const UNCLAIMED_PER_NETWORK = 32
export const UNCLAIMED_STRANGERS = 256

export type Claimant = { person: string } | { address: string }

type Connections = Map<object, () => void>

export class Unclaimed {
  readonly #people = new Map<string, Connections>()
  readonly #networks = new Map<string, Connections>()
  readonly #home = new Map<object, { table: Map<string, Connections>; key: string }>()

  /** `connection` takes a place until it is `left`; `close` ends it before. False when there is none. */
  admit(connection: object, claimant: Claimant, close: () => void): boolean {
    const known = 'person' in claimant
    const table = known ? this.#people : this.#networks
    const key = known ? claimant.person : clientNetwork(claimant.address)
    const own = table.get(key) ?? new Map()
    if (own.size >= (known ? UNCLAIMED_PER_PERSON : UNCLAIMED_PER_NETWORK)) return false
    if (!known && this.#strangers >= UNCLAIMED_STRANGERS) this.#dropOldest()
    table.set(key, own.set(connection, close))
    this.#home.set(connection, { table, key })
    return true
  }

  /** It has entered a namespace, or is gone. */
  left(connection: object): void {
    const home = this.#home.get(connection)
    if (!home) return
    this.#home.delete(connection)
    const own = home.table.get(home.key)
    own?.delete(connection)
    if (own?.size === 0) home.table.delete(home.key)
  }

  get #strangers(): number {
    return [...this.#networks.values()].reduce((sum, { size }) => sum + size, 0)
  }

  #dropOldest(): void {
    const [largest] = [...this.#networks.values()].sort((a, b) => b.size - a.size)
    const [oldest] = largest ?? []
    if (!oldest) return
    const [connection, close] = oldest
    this.left(connection)
    close()
  }
}

/**
 * Limits connections that have not entered a namespace yet. Each person who showed a token has a limit. So does each network of
 * browsers, because a browser proves its key only later. A network that reaches its limit loses its oldest connection. If all
 * places are taken, the network that holds the most loses one. So neither many networks nor a busy neighbour locks anybody out
 * (T16).
 */
import { clientNetwork } from '../../core'

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
    if (known && own.size >= UNCLAIMED_PER_PERSON) return false
    if (!known && own.size >= UNCLAIMED_PER_NETWORK) this.#dropOldestOf(own)
    else if (!known && this.#strangers >= UNCLAIMED_STRANGERS) this.#dropOldestOf(this.#largest())
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

  #largest(): Connections | undefined {
    return [...this.#networks.values()].sort((a, b) => b.size - a.size)[0]
  }

  #dropOldestOf(connections: Connections | undefined): void {
    const [oldest] = connections ?? []
    if (!oldest) return
    const [connection, close] = oldest
    this.left(connection)
    close()
  }
}

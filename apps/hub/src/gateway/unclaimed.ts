/**
 * Connections that have not entered a namespace: nobody's yet. So many may wait for each person, and for each address
 * that came with a cookie of nobody (such a page is told to sign in); what strangers do takes nothing from people (T16).
 */
import { clientNetwork } from '../core'

export const UNCLAIMED_PER_PERSON = 32
export const UNCLAIMED_PER_STRANGER = 4
export const UNCLAIMED_STRANGERS = 64

export type Claimant = { person: string } | { address: string }

export class Unclaimed {
  readonly #held = new Map<object, string>()
  readonly #counts = new Map<string, number>()
  #strangers = 0

  /** `connection` takes a place until it is `left`. False when there is none. */
  admit(connection: object, claimant: Claimant): boolean {
    const known = 'person' in claimant
    const key = known ? `person ${claimant.person}` : `address ${clientNetwork(claimant.address)}`
    const count = this.#counts.get(key) ?? 0
    if (count >= (known ? UNCLAIMED_PER_PERSON : UNCLAIMED_PER_STRANGER)) return false
    if (!known && this.#strangers >= UNCLAIMED_STRANGERS) return false
    this.#held.set(connection, key)
    this.#counts.set(key, count + 1)
    if (!known) this.#strangers += 1
    return true
  }

  /** It has entered a namespace, or is gone. */
  left(connection: object): void {
    const key = this.#held.get(connection)
    if (key === undefined) return
    this.#held.delete(connection)
    if (key.startsWith('address ')) this.#strangers -= 1
    const count = (this.#counts.get(key) ?? 1) - 1
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }
}

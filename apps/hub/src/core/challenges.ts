/**
 * LINK-1: nonces of this hub. Each is good once and for 10 s; so many may be open per address and in total, so that
 * callers who never come back cannot fill the memory. When all are out, whoever holds most loses the oldest: a crowd
 * that asks and asks shuts nobody else out. Kept in memory: a restart makes agents ask again.
 */
import { CodedError } from '@roundhouse/backend-types'
import { clientNetwork } from './client-network'
import { newSecret } from './random'

const CHALLENGE_LIFE_MS = 10_000
const CHALLENGES_PER_ADDRESS = 20
const CHALLENGES_IN_ALL = 200

interface Open {
  address: string
  expiresAt: number
}

export class Challenges {
  readonly #now: () => number
  /** In the order in which they were given, so the oldest are first. */
  readonly #open = new Map<string, Open>()
  readonly #perAddress = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  give(from: string): string {
    const address = clientNetwork(from)
    this.#dropExpired()
    const held = this.#perAddress.get(address) ?? 0
    if (held >= CHALLENGES_PER_ADDRESS) throw new CodedError('RATE_LIMITED')
    if (this.#open.size >= CHALLENGES_IN_ALL) this.#dropOfHeaviest()
    const nonce = newSecret(24)
    this.#open.set(nonce, { address, expiresAt: this.#now() + CHALLENGE_LIFE_MS })
    this.#perAddress.set(address, held + 1)
    return nonce
  }

  /** True once per nonce. */
  take(nonce: string): boolean {
    this.#dropExpired()
    const open = this.#open.get(nonce)
    if (open) this.#drop(nonce, open)
    return open !== undefined
  }

  #dropExpired(): void {
    const now = this.#now()
    for (const [nonce, open] of this.#open) {
      if (open.expiresAt > now) return
      this.#drop(nonce, open)
    }
  }

  /** Of several that hold as many, the one whose nonce is oldest. */
  #dropOfHeaviest(): void {
    const most = Math.max(...this.#perAddress.values())
    for (const [nonce, open] of this.#open) {
      if (this.#perAddress.get(open.address) !== most) continue
      this.#drop(nonce, open)
      return
    }
  }

  #drop(nonce: string, { address }: Open): void {
    this.#open.delete(nonce)
    const left = (this.#perAddress.get(address) ?? 1) - 1
    if (left > 0) this.#perAddress.set(address, left)
    else this.#perAddress.delete(address)
  }
}

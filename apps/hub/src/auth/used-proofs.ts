/**
 * Remembers used proofs: each is valid once. The memory is bounded. When it is full, the oldest entry goes, and nonces of
 * its age or older are refused from then on. A proof is refused rather than forgotten, and the browser signs again with a
 * newer nonce.
 */
import { NONCE_MS } from './nonces'

export class UsedProofs {
  readonly #limit: number
  /** When the nonce of each was issued. */
  readonly #used = new Map<string, number>()
  #floor = Number.NEGATIVE_INFINITY

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False: it was used before, or its nonce is older than what is remembered. */
  use(proof: string, issuedAt: number, now: number): boolean {
    if (issuedAt <= this.#floor || this.#used.has(proof)) return false
    this.#used.set(proof, issuedAt)
    this.#forget(now)
    return true
  }

  #forget(now: number): void {
    for (const [proof, issuedAt] of this.#used) {
      const isOver = issuedAt <= now - NONCE_MS
      if (!isOver && this.#used.size <= this.#limit) return
      if (!isOver) this.#floor = Math.max(this.#floor, issuedAt)
      this.#used.delete(proof)
    }
  }
}

/**
 * Nonces for proofs. The hub stores nothing for one: it is its time of issue and a MAC over that, under a key of this
 * process. A nonce from before a restart is therefore invalid, because the used proofs of that time are forgotten.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export const NONCE_MS = 5 * 60_000
const TIME_BYTES = 8
const MAC_BYTES = 16

export class Nonces {
  readonly #key = randomBytes(32)
  readonly #now: () => number

  /** `now` never goes back. */
  constructor(now: () => number) {
    this.#now = now
  }

  issue(): string {
    const time = Buffer.alloc(TIME_BYTES)
    time.writeDoubleBE(this.#now())
    return Buffer.concat([time, this.#macOf(time)]).toString('base64url')
  }

  /** The time of issue; null if the nonce is too old or not from this process. */
  issuedAt(nonce: string): number | null {
    const bytes = Buffer.from(nonce, 'base64url')
    const [time, mac] = [bytes.subarray(0, TIME_BYTES), bytes.subarray(TIME_BYTES)]
    if (bytes.length !== TIME_BYTES + MAC_BYTES || !timingSafeEqual(mac, this.#macOf(time))) return null
    const at = time.readDoubleBE()
    return at > this.#now() - NONCE_MS ? at : null
  }

  #macOf(time: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(time).digest().subarray(0, MAC_BYTES)
  }
}

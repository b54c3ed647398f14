/**
 * LINK-1: nonces of this hub. A nonce costs no memory: it carries its time and a MAC over agent, hub and time under a
 * key that only this process has, so callers cannot exhaust anything. Only a nonce whose signature was valid is
 * remembered while it could be valid; only real machines produce those. After a restart agents ask again.
 *
 *     nonce = base64url( time, 8 bytes | random, 12 bytes | MAC, 16 bytes )
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const CHALLENGE_LIFE_MS = 10_000
const TIME_BYTES = 8
const SAID_BYTES = TIME_BYTES + 12
const MAC_BYTES = 16

export class Challenges {
  readonly #hubId: string
  /** A monotonic clock. */
  readonly #now: () => number
  readonly #key = randomBytes(32)
  /** When each used nonce was given, in order of first use. */
  readonly #used = new Map<string, number>()

  constructor(hubId: string, now: () => number) {
    this.#hubId = hubId
    this.#now = now
  }

  /** Valid for this agent only, or for a caller that has no id yet or did not name it. */
  give(agentId = ''): string {
    const said = randomBytes(SAID_BYTES)
    said.writeBigUInt64BE(BigInt(Math.max(0, Math.floor(this.#now()))))
    return Buffer.concat([said, this.#mac(agentId, said)]).toString('base64url')
  }

  /** True if this process gave the nonce, to this agent or to an unnamed caller, less than 10 s ago, and it is unused. */
  isOpen(nonce: string, agentId = ''): boolean {
    const bytes = Buffer.from(nonce, 'base64url')
    if (bytes.length !== SAID_BYTES + MAC_BYTES || bytes.toString('base64url') !== nonce) return false
    const said = bytes.subarray(0, SAID_BYTES)
    const mac = bytes.subarray(SAID_BYTES)
    const isOurs = [agentId, ''].some((who) => timingSafeEqual(mac, this.#mac(who, said)))
    const age = this.#now() - Number(said.readBigUInt64BE())
    return isOurs && age >= 0 && age < CHALLENGE_LIFE_MS && !this.#used.has(nonce)
  }

  /** Call after `isOpen` and after a signature over the nonce was valid. True the first time. */
  use(nonce: string): boolean {
    this.#forgetOld()
    if (this.#used.has(nonce)) return false
    this.#used.set(nonce, this.#now())
    return true
  }

  #mac(agentId: string, said: Buffer): Buffer {
    const mac = createHmac('sha256', this.#key).update(`agent-nonce-v1|${this.#hubId}|${agentId}|`).update(said)
    return mac.digest().subarray(0, MAC_BYTES)
  }

  #forgetOld(): void {
    const now = this.#now()
    for (const [nonce, usedAt] of this.#used) {
      if (now - usedAt < CHALLENGE_LIFE_MS) return
      this.#used.delete(nonce)
    }
  }
}

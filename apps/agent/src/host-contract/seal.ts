/**
 * Authenticates a connection to a host in both directions. Both ends prove that they know the secret, and neither sends it.
 * Each later line carries a code over its number and text. A process that listens at the host's place learns nothing, and one
 * between the two ends cannot add, change, repeat or drop a line.
 */
import { CodedError } from '@roundhouse/backend-types'
import { type End, hmac, isSame } from './proof'

/** Characters that a seal adds to a line. */
export const SEAL_LENGTH = 65

/** The lines of one direction, in their order. */
export class Seal {
  readonly #key: string
  #count = 0

  constructor(secret: string, from: End, nonces: readonly [string, string]) {
    this.#key = hmac(secret, `${from}-lines-v1|${nonces.join('|')}`)
  }

  close(text: string): string {
    return `${this.#code(text)} ${text}`
  }

  /** Throws `AUTH_FAILED`. */
  open(line: string): string {
    const text = line.slice(SEAL_LENGTH)
    if (!isSame(line.slice(0, SEAL_LENGTH - 1), this.#code(text))) throw new CodedError('AUTH_FAILED')
    return text
  }

  #code(text: string): string {
    return hmac(this.#key, `${this.#count++}|${text}`)
  }
}

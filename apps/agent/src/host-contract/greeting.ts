/**
 * The daemon's part of the first lines to a host: the host proves itself first, so whoever listens in its place learns nothing
 * and is not believed.
 *
 *   auth{nonce} ─► challenge{nonce, proof} ─► proof ─► from here on every line is sealed
 *   to a host of the previous version: auth{token} ─► lines as they are
 */
import type { Socket } from 'node:net'
import { CodedError } from '@roundhouse/backend-types'
import { writeLine } from './framing'
import type { HostDoor } from './host-door'
import { HostChallenge } from './messages'
import { isSame, newNonce, proofOf } from './proof'
import { Seal } from './seal'

export class Greeting {
  /** Of what the daemon says. */
  seal: Seal | null = null
  private heard: Seal | null = null
  private readonly nonce = newNonce()

  constructor(
    private readonly socket: Socket,
    private readonly door: HostDoor,
  ) {}

  begin(): void {
    const { door, nonce } = this
    writeLine(this.socket, 'token' in door ? { type: 'auth', token: door.token } : { type: 'auth', nonce })
  }

  /** The text of a line; null for one that belonged to the greeting. Throws `AUTH_FAILED`. */
  hear(line: string): string | null {
    if ('token' in this.door) return line
    if (this.heard) return this.heard.open(line)
    const { secret } = this.door
    const { nonce, proof } = HostChallenge.parse(JSON.parse(line))
    const nonces = [this.nonce, nonce] as const
    if (!isSame(proof, proofOf(secret, 'host', nonces))) {
      throw new CodedError('AUTH_FAILED', 'Another process, not the session host, answers on that socket.')
    }
    writeLine(this.socket, { type: 'proof', proof: proofOf(secret, 'daemon', nonces) })
    this.heard = new Seal(secret, 'host', nonces)
    this.seal = new Seal(secret, 'daemon', nonces)
    return null
  }
}

/** A passkey in memory: answers a browser's questions as a device would, and as one that lies, where a test asks for it. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

interface Lies {
  origin?: string
  rpId?: string
  /** False: nobody touched or looked at the device. */
  verified?: boolean
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const b64 = (data: Buffer) => data.toString('base64url')

export class SoftPasskey {
  readonly id: string
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #origin: string
  #counter = 0

  constructor(origin: string, id = b64(randomBytes(16))) {
    this.#origin = origin
    this.id = id
  }

  /** The answer to options of a registration. */
  create({ challenge }: { challenge: string }, lies: Lies = {}) {
    const raw = Buffer.from(this.id, 'base64url')
    const attested = Buffer.concat([Buffer.alloc(16), uint16(raw.length), raw, this.#coseKey()])
    const authData = Buffer.concat([this.#facts(lies, 0x40), attested])
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      ...[text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData'), bytes(authData)],
    ])
    const clientDataJSON = b64(this.#clientData('webauthn.create', challenge, lies))
    const response = { clientDataJSON, attestationObject: b64(attestation), transports: ['internal'] }
    return this.#credential(response)
  }

  /** The answer to options of a sign-in. */
  get({ challenge }: { challenge: string }, lies: Lies = {}) {
    const authenticatorData = this.#facts(lies, 0)
    const clientData = this.#clientData('webauthn.get', challenge, lies)
    const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), this.#keys.privateKey)
    return this.#credential({
      clientDataJSON: b64(clientData),
      authenticatorData: b64(authenticatorData),
      signature: b64(signature),
    })
  }

  #credential<T extends object>(response: T) {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response }
  }

  #clientData(type: string, challenge: string, { origin = this.#origin }: Lies): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  #facts({ rpId = new URL(this.#origin).hostname, verified = true }: Lies, more: number): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(++this.#counter)
    return Buffer.concat([sha256(rpId), Buffer.from([0x01 | (verified ? 0x04 : 0) | more]), counter])
  }

  /** CBOR: {1: 2, 3: -7, -1: 1, -2: x, -3: y}. */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21])
    const [first, second] = [x, y].map((part) => bytes(Buffer.from(part, 'base64url')))
    return Buffer.concat([head, first ?? head, Buffer.from([0x22]), second ?? head])
  }
}

const uint16 = (value: number) => Buffer.from([value >> 8, value & 255])
const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
const bytes = (value: Buffer) =>
  Buffer.concat([
    value.length < 256 ? Buffer.from([0x58, value.length]) : Buffer.from([0x59, ...uint16(value.length)]),
    value,
  ])

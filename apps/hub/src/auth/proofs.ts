/**
 * Verifies proofs of browser keys (WEB-3): first the key, then the nonce, then the signature. Only proofs with a valid
 * signature are remembered as used. The format is in `backend-types`.
 */
import { createHash, createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import {
  CodedError,
  type Proof,
  type ProofPurpose,
  type ProvenRequest,
  parseProof,
  proofAlgorithm,
  proofText,
} from '@roundhouse/backend-types'
import type { BrowserKey } from '../core'
import { Nonces } from './nonces'
import { UsedProofs } from './used-proofs'

/** Proofs of logins and proofs of new sign-ins have separate memories, so that strangers can only displace strangers. */
const REMEMBERED = { login: 100_000, newKey: 20_000 }

export class Proofs {
  readonly #now: () => number
  readonly #nonces: Nonces
  readonly #used = { login: new UsedProofs(REMEMBERED.login), newKey: new UsedProofs(REMEMBERED.newKey) }

  /** `now` never goes back, whatever happens to the wall clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#nonces = new Nonces(now)
  }

  nonce(): string {
    return this.#nonces.issue()
  }

  /** Null for what proves nothing. Throws `PROOF_STALE` where another proof of the same key would do. */
  async judgeLogin(
    header: string | undefined,
    request: ProvenRequest,
    find: (keyId: string) => Promise<BrowserKey | undefined>,
  ): Promise<BrowserKey | null> {
    const proof = header === undefined ? null : parseProof(header)
    const known = proof && (await find(proof.key))
    return proof && known ? this.#judge('login', proof, request, known) : null
  }

  judgeNewKey(header: string | undefined, request: ProvenRequest): BrowserKey | null {
    const proof = header === undefined ? null : parseProof(header)
    if (!proof || rawPoint(proof.key) === null) return null
    const keyId = createHash('sha256').update(Buffer.from(proof.key, 'base64url')).digest('base64url')
    return this.#judge('newKey', proof, request, { keyId, publicKey: proof.key })
  }

  #judge(purpose: ProofPurpose, proof: Proof, request: ProvenRequest, key: BrowserKey): BrowserKey | null {
    const issuedAt = this.#nonces.issuedAt(proof.nonce)
    if (issuedAt === null) throw new CodedError('PROOF_STALE')
    if (!isSignedBy(key.publicKey, proofText(purpose, request, proof), proof.signature)) return null
    const name = `${key.keyId}.${proof.nonce}.${proof.jti}`
    if (!this.#used[purpose].use(name, issuedAt, this.#now())) throw new CodedError('PROOF_STALE')
    return { keyId: key.keyId, publicKey: key.publicKey }
  }
}

/** The headers were checked before the body was read. The reader of the body calls this. */
export function isProvenBody(body: Uint8Array, headers: ReadonlyArray<string | undefined>): boolean {
  const bodySha256 = createHash('sha256').update(body).digest('base64url')
  return headers.every((header) => header === undefined || parseProof(header)?.bodySha256 === bodySha256)
}

function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const key = keyObjectOf(publicKey)
  if (!key) return false
  return verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
}

/** A point that is not on the curve is not a valid key. */
function keyObjectOf(publicKey: string): KeyObject | null {
  const point = rawPoint(publicKey)
  if (!point) return null
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  try {
    const key = { kty: 'EC', crv: proofAlgorithm.namedCurve, x, y } as JsonWebKey
    return createPublicKey({ format: 'jwk', key })
  } catch {
    return null
  }
}

/** In the one spelling of its 65 bytes. */
function rawPoint(publicKey: string): Buffer | null {
  const bytes = Buffer.from(publicKey, 'base64url')
  return bytes.length === 65 && bytes[0] === 4 && bytes.toString('base64url') === publicKey ? bytes : null
}

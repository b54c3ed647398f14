/** Ed25519 as it travels: raw public keys and signatures in base64url. Ids and digests of the core. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto'

/** What stands before the raw key in the DER form of an Ed25519 public key. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const RAW_BYTES = 32

export function readPrivateKey(pkcs8: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(pkcs8, 'base64url'), format: 'der', type: 'pkcs8' })
}

export function signText(key: KeyObject, text: string): string {
  return sign(null, Buffer.from(text), key).toString('base64url')
}

/** False for a wrong signature, and for a key or a signature that is none. A key has one spelling: they are compared as texts. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const raw = Buffer.from(publicKey, 'base64url')
  if (raw.length !== RAW_BYTES || raw.toString('base64url') !== publicKey) return false
  try {
    const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, raw]), format: 'der', type: 'spki' })
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}

/** SHA-256 of the raw key, lower-case hex: what both ends print. */
export function fingerprintOf(publicKey: string): string {
  return createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex')
}

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

export function sameDigest(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The prefix says what it is and keeps a leading `-` away. */
export function newId(prefix: 'ses' | 'cmd' | 'agt'): string {
  return `${prefix}_${randomBytes(12).toString('base64url')}`
}

export function newSecret(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}

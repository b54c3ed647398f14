/**
 * Ed25519 keys as they travel: raw 32 bytes in base64url. The private half stays in PKCS#8 and never leaves the machine.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto'

/** What stands before the raw key in the DER form of an Ed25519 public key. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const RAW_BYTES = 32

export interface KeyPair {
  /** Raw public key, base64url. */
  publicKey: string
  /** PKCS#8 DER, base64url. */
  privateKey: string
}

export function makeKeyPair(): KeyPair {
  const pair = generateKeyPairSync('ed25519')
  return {
    publicKey: rawPublicKey(pair.publicKey),
    privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64url'),
  }
}

export function signText(privateKey: string, text: string): string {
  const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64url'), format: 'der', type: 'pkcs8' })
  return signBytes(null, Buffer.from(text), key).toString('base64url')
}

/** False for a wrong signature and for a key or signature that is none. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const raw = Buffer.from(publicKey, 'base64url')
  if (raw.length !== RAW_BYTES) return false
  try {
    const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, raw]), format: 'der', type: 'spki' })
    return verifyBytes(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}

/** SHA-256 of the raw key, lower-case hex. */
export function fingerprintOf(publicKey: string): string {
  return createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex')
}

/** Groups of four, for eyes. */
export const inGroups = (fingerprint: string): string => fingerprint.match(/.{1,4}/g)?.join(' ') ?? ''

/** A fingerprint as a person pasted it, or null when it is not a whole one. */
export function readFingerprint(text: string): string | null {
  const hex = text.replace(/[\s:]/g, '').toLowerCase()
  return /^[0-9a-f]{64}$/.test(hex) ? hex : null
}

function rawPublicKey(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).subarray(SPKI_PREFIX.length).toString('base64url')
}

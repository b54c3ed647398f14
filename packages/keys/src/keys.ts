/**
 * The Ed25519 keys of hub and machines, in transit and on disk: a public key is its raw 32 bytes, a signature 64, a private
 * key PKCS#8 DER, each in base64url.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'

/** What stands before the raw key in the DER form of an Ed25519 public key. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const RAW_BYTES = 32

export interface KeyPair {
  /** Raw, base64url. */
  publicKey: string
  /** PKCS#8 DER, base64url. */
  privateKey: string
}

export function makeKeyPair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).subarray(SPKI_PREFIX.length).toString('base64url'),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64url'),
  }
}

/** Throws where the text is no private key. */
export function readPrivateKey(privateKey: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(privateKey, 'base64url'), format: 'der', type: 'pkcs8' })
}

export function signText(key: KeyObject, text: string): string {
  return sign(null, Buffer.from(text), key).toString('base64url')
}

/** False for a wrong signature, and for a key or a signature that is none. A key has one spelling: they are compared as texts. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const raw = Buffer.from(publicKey, 'base64url')
  if (raw.length !== RAW_BYTES || raw.toString('base64url') !== publicKey) return false
  try {
    return verify(null, Buffer.from(text), publicKeyOf(publicKey, raw), Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}

/** To read a key costs more than to verify with it, and most signatures are of the same few. */
const read = new Map<string, KeyObject>()
const MOST_READ = 256

function publicKeyOf(publicKey: string, raw: Buffer): KeyObject {
  const known = read.get(publicKey)
  if (known) return known
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, raw]), format: 'der', type: 'spki' })
  if (read.size >= MOST_READ) read.clear()
  read.set(publicKey, key)
  return key
}

/** SHA-256 of the raw key, lower-case hex: what both ends print. */
export function fingerprintOf(publicKey: string): string {
  return createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex')
}

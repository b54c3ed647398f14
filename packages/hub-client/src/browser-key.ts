/**
 * The key of one sign-in. Its private half cannot be read out, not even by this page; whoever can run this code in this
 * origin can use it, and nobody else. The format of a proof is in `backend-types`.
 */
import {
  formatProof,
  type ProofPurpose,
  type ProvenRequest,
  proofAlgorithm,
  proofText,
} from '@roundhouse/backend-types'

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

export interface BrowserKey {
  /** SHA-256 of the public half. */
  keyId: string
  publicKey: string
  privateKey: CryptoKey
}

const { name, namedCurve, hash } = proofAlgorithm

/** False on plain `http` away from this machine: browsers have no WebCrypto there. */
export const hasWebCrypto = (): boolean => globalThis.crypto?.subtle !== undefined

export async function makeBrowserKey(): Promise<BrowserKey> {
  const pair = await crypto.subtle.generateKey({ name, namedCurve }, false, ['sign'])
  const { publicKey, privateKey } = pair as { publicKey: CryptoKey; privateKey: CryptoKey }
  const raw = await crypto.subtle.exportKey('raw', publicKey)
  return { keyId: base64url(await crypto.subtle.digest(hash, raw)), publicKey: base64url(raw), privateKey }
}

export interface SignedRequest extends ProvenRequest {
  body: string | Uint8Array<ArrayBuffer>
  nonce: string
}

/** The header that proves that this key sent this request. */
export async function signProof(key: BrowserKey, purpose: ProofPurpose, request: SignedRequest): Promise<string> {
  const jti = base64url(crypto.getRandomValues(new Uint8Array(16)))
  const bodySha256 = base64url(
    await crypto.subtle.digest(hash, typeof request.body === 'string' ? bytesOf(request.body) : request.body),
  )
  const parts = { key: purpose === 'login' ? key.keyId : key.publicKey, nonce: request.nonce, jti, bodySha256 }
  const text = bytesOf(proofText(purpose, request, parts))
  const signature = base64url(await crypto.subtle.sign({ name, hash }, key.privateKey, text))
  return formatProof({ ...parts, signature })
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

function base64url(bytes: ArrayBuffer | Uint8Array): string {
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

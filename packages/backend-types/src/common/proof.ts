/**
 * The proof of a browser's login (WEB-3). The browser generates the key pair, and the private key never leaves it. Each
 * request carries a signature over its method, its path, the hash of its body and a nonce of the hub. The first signed line
 * names the purpose: a signature for one purpose is invalid for another.
 *
 * This is only the format. Browsers sign in `hub-client`; the hub verifies in `apps/hub/src/auth`.
 */

/** `Login`: the key of a login. `NewKey`: the key that a sign-in begins with; it says its own public half. */
export const proofHeaders = {
  login: 'x-roundhouse-proof',
  newKey: 'x-roundhouse-new-key',
  /** In answers, and in the page: the nonce for the proofs that follow. */
  nonce: 'x-roundhouse-proof-nonce',
} as const

export type ProofPurpose = 'login' | 'newKey'

/** A socket has no request of its own to sign: it proves this. */
export const socketProofPath = '/socket.io/viewer'

/** ECDSA on P-256 with SHA-256: what every browser's WebCrypto has. */
export const proofAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

export interface ProvenRequest {
  method: string
  /** With the query, as in the request line. */
  path: string
}

export interface Proof {
  /** Names the key: SHA-256 of its public half for a login, the public half itself (65 bytes) for a new key. All base64url. */
  key: string
  nonce: string
  /** Chosen by the browser for this one request. */
  jti: string
  bodySha256: string
  signature: string
}

const firstLine: Readonly<Record<ProofPurpose, string>> = {
  login: 'roundhouse-proof-v1',
  newKey: 'roundhouse-new-key-v1',
}

/** What is signed. No part may hold a line break: none of them can. */
export function proofText(purpose: ProofPurpose, request: ProvenRequest, proof: Omit<Proof, 'signature'>): string {
  const { key, nonce, jti, bodySha256 } = proof
  return [firstLine[purpose], key, request.method, request.path, bodySha256, nonce, jti].join('\n')
}

export const formatProof = ({ key, nonce, jti, bodySha256, signature }: Proof): string =>
  [key, nonce, jti, bodySha256, signature].join('.')

const pattern = /^([\w-]{43,87})\.([\w-]{0,64})\.([\w-]{16,64})\.([\w-]{43})\.([\w-]{86})$/

export function parseProof(header: string): Proof | null {
  const [, key, nonce, jti, bodySha256, signature] = pattern.exec(header) ?? []
  if (key === undefined || nonce === undefined || jti === undefined) return null
  return bodySha256 === undefined || signature === undefined ? null : { key, nonce, jti, bodySha256, signature }
}

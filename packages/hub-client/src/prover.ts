/**
 * Adds the proof of this browser's key to requests and sockets. It remembers the newest nonce that the hub gave; where that
 * is too old, the hub's refusal brings another, and the request is made once more.
 */
import { proofHeaders, socketProofPath } from '@roundhouse/backend-types'
import { type BrowserKey, signProof } from './browser-key'
import type { KeyStore } from './key-store'

export interface ProvenInit {
  method: string
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
  signal?: AbortSignal
  /** The key that this sign-in begins with. */
  newKey?: BrowserKey
}

export interface ProverOptions {
  keys: KeyStore
  /** Given with the page. Without it the first request is made twice. */
  nonce?: string
  fetch?: typeof fetch
}

export class Prover {
  readonly #keys: KeyStore
  readonly #fetch: typeof fetch
  #nonce: string
  #current: Promise<BrowserKey | null> | undefined

  constructor({ keys, nonce = '', fetch: send = (...args) => fetch(...args) }: ProverOptions) {
    this.#keys = keys
    this.#nonce = nonce
    this.#fetch = send
  }

  /** Read once: a tab stays who it is, whoever signs in beside it. */
  current(): Promise<BrowserKey | null> {
    this.#current ??= this.#keys.current().catch(() => null)
    return this.#current
  }

  hear(nonce: unknown): void {
    if (typeof nonce === 'string' && nonce !== '') this.#nonce = nonce
  }

  /** No cookie is sent, and none is taken. */
  async send(url: string, init: ProvenInit): Promise<Response> {
    const first = await this.#sendOnce(url, init)
    return (await isStale(first)) ? this.#sendOnce(url, init) : first
  }

  async #sendOnce(url: string, { newKey, headers = {}, ...init }: ProvenInit): Promise<Response> {
    const { pathname, search } = new URL(url, 'http://hub')
    const request = { method: init.method, path: `${pathname}${search}`, body: init.body ?? '' }
    const proofs = await this.#headersFor(request, newKey)
    const response = await this.#fetch(url, { ...init, headers: { ...headers, ...proofs }, credentials: 'omit' })
    this.hear(response.headers.get(proofHeaders.nonce))
    return response
  }

  async #headersFor(
    request: { method: string; path: string; body: string | Uint8Array<ArrayBuffer> },
    newKey?: BrowserKey,
  ) {
    const current = await this.current()
    const signed = { ...request, nonce: this.#nonce }
    return {
      ...(current ? { [proofHeaders.login]: await signProof(current, 'login', signed) } : {}),
      ...(newKey ? { [proofHeaders.newKey]: await signProof(newKey, 'newKey', signed) } : {}),
    }
  }

  /** What a socket shows when it connects. */
  async socketAuth(): Promise<{ proof?: string }> {
    const current = await this.current()
    const request = { method: 'GET', path: socketProofPath, body: '', nonce: this.#nonce }
    return current ? { proof: await signProof(current, 'login', request) } : {}
  }
}

async function isStale(response: Response): Promise<boolean> {
  if (response.status !== 401) return false
  const text = await response.clone().text()
  return text.includes('"PROOF_STALE"')
}

/**
 * One HTTP request to the hub: JSON in, JSON out, errors as `CodedError`. A request that carries an idempotency key,
 * or changes nothing, is repeated when the network (not the hub) failed, always under the same key (CMD-1).
 */
import { CodedError, type ErrorBody, ErrorBody as ErrorBodySchema, fromErrorBody } from '@roundhouse/backend-types'
import { z } from 'zod'
import { MemoryKeys } from './key-store'
import { type ProvenInit, Prover } from './prover'

export interface TransportOptions {
  /** Origin of the hub, without a trailing slash. Empty in the browser: the page's own origin. */
  baseUrl: string
  fetch?: typeof fetch
  /** What a program adds to every request: its token, or its origin. */
  headers?: () => Record<string, string>
  /** Signs each request with the key of the login. Absent: nobody is signed in, or a token is shown. */
  prover?: Prover
  /** Of a page: called when an answer says that the login is gone. From `AUTH_REQUIRED` on, nothing is asked any more. */
  onSignedOut?: () => void
  /** Milliseconds until an attempt without an answer counts as failed: a network that swallows everything never says so. */
  timeoutMs?: number
}

export interface Downloaded {
  bytes: ArrayBuffer
  /** The size of all of it, where this is a part. */
  whole: number
}

export interface RequestOptions {
  body?: unknown
  /** The body is this file, and not JSON. */
  file?: Uint8Array<ArrayBuffer>
  query?: Record<string, string | number | boolean | undefined>
  idempotencyKey?: string
  signal?: AbortSignal
}

const ErrorEnvelope = z.object({ error: ErrorBodySchema })
const ATTEMPTS = 3
const TIMEOUT_MS = 20_000
const FILE_TIMEOUT_MS = 60_000

export class Transport {
  readonly #options: TransportOptions
  readonly #prover: Prover
  /** The answer that said that the login is gone: every request would get the same. */
  #gone: ErrorBody | null = null

  constructor(options: TransportOptions) {
    this.#options = options
    const { fetch: send, prover } = options
    this.#prover = prover ?? new Prover({ keys: new MemoryKeys(), ...(send ? { fetch: send } : {}) })
  }

  async send<T>(method: string, path: string, schema: z.ZodType<T>, options: RequestOptions = {}): Promise<T> {
    const { response, bytes } = await this.#fetch(method, path, options)
    if (!response.ok) throw this.#refused(response, bytes)
    return schema.parse(jsonOf(bytes))
  }

  /** A file that the hub gives. */
  async download(path: string, options: RequestOptions = {}): Promise<Downloaded> {
    const { response, bytes } = await this.#fetch('GET', path, options)
    if (!response.ok) throw this.#refused(response, bytes)
    const whole = Number(response.headers.get('content-range')?.split('/')[1] ?? bytes.byteLength)
    return { bytes, whole }
  }

  #refused(response: Response, bytes: ArrayBuffer): CodedError {
    const body = errorBodyOf(response, jsonOf(bytes))
    // A wrong password or code of somebody who is signed in is 401 as well, and ends no login.
    const { onSignedOut } = this.#options
    if (response.status === 401 && body.code !== 'AUTH_FAILED' && onSignedOut && !this.#gone) {
      if (body.code === 'AUTH_REQUIRED') this.#gone = body
      onSignedOut()
    }
    return fromErrorBody(body)
  }

  /** With the whole body read: it may be swallowed as well as the rest. */
  async #fetch(method: string, path: string, options: RequestOptions): Promise<Answered> {
    const repeatable = method === 'GET' || options.idempotencyKey !== undefined
    const attempts = repeatable ? ATTEMPTS : 1
    let failure: unknown
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (attempt > 0) await pause(150 * 2 ** attempt)
      if (this.#gone) throw fromErrorBody(this.#gone)
      try {
        const response = await this.#prover.send(this.#url(path, options.query), this.#init(method, options))
        return { response, bytes: await response.arrayBuffer() }
      } catch (error) {
        if (options.signal?.aborted) throw error
        failure = error
      }
    }
    throw new CodedError('STORAGE_UNAVAILABLE', 'The hub is not responding. Nothing was lost.', undefined, failure)
  }

  #url(path: string, query: RequestOptions['query']): string {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(name, String(value))
    const text = search.toString()
    return `${this.#options.baseUrl}/api/v1${path}${text ? `?${text}` : ''}`
  }

  #init(method: string, options: RequestOptions): ProvenInit {
    const headers: Record<string, string> = { accept: 'application/json', ...this.#options.headers?.() }
    if (options.body !== undefined) headers['content-type'] = 'application/json'
    if (options.file) headers['content-type'] = 'application/octet-stream'
    if (options.idempotencyKey !== undefined) headers['idempotency-key'] = options.idempotencyKey
    const limit = AbortSignal.timeout(this.#options.timeoutMs ?? (options.file ? FILE_TIMEOUT_MS : TIMEOUT_MS))
    return {
      method,
      headers,
      ...(options.body !== undefined ? { body: JSON.stringify(options.body) } : {}),
      ...(options.file ? { body: options.file } : {}),
      signal: options.signal ? AbortSignal.any([options.signal, limit]) : limit,
    }
  }
}

interface Answered {
  response: Response
  bytes: ArrayBuffer
}

function jsonOf(bytes: ArrayBuffer): unknown {
  const text = new TextDecoder().decode(bytes)
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function errorBodyOf(response: Response, json: unknown): ErrorBody {
  const parsed = ErrorEnvelope.safeParse(json)
  if (parsed.success) return parsed.data.error
  return {
    code: response.status === 404 ? 'NOT_FOUND' : response.status === 401 ? 'AUTH_REQUIRED' : 'INTERNAL',
    message: `The hub answered with status ${response.status}.`,
    retryable: response.status >= 500,
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

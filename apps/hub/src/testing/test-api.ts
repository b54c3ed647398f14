/** The whole REST interface without a socket: real SQLite, real logins, requests as a browser or a program sends them. */
import { proofHeaders } from '@roundhouse/backend-types'
import { type BrowserKey, makeBrowserKey, signProof } from '@roundhouse/hub-client'
import { createApi } from '../api'
import { createAccounts } from '../auth/accounts'
import { type Authenticate, createAuthenticate, createRecognise } from '../auth/authenticate'
import { type Auth, CLIENT_ADDRESS_HEADER, createAuth } from '../auth/better-auth'
import { createFactorKeeper } from '../auth/factor-keeper'
import { Proofs } from '../auth/proofs'
import { createSecretKeeper } from '../auth/secret-keeper'
import { createSetup, type Setup } from '../auth/setup'
import { createWebGuard } from '../auth/web-guard'
import { type Core, createCore } from '../core'
import { newHubEpoch } from '../store/sqlite'
import { anyBot } from './plain-keeper'
import { nobody } from './test-hub'
import { openTestStore, type TestStore } from './test-store'

export const url = 'http://localhost:4600'
export const owner = { name: 'Ana', email: 'ana@example.com', password: 'correct horse battery' }

export interface Asked {
  body?: unknown
  /** The id of a browser's key, which is the login that it signed in to. */
  login?: string | null
  /** The id of the key that a sign-in begins with. */
  newKey?: string
  /** Sent as they are, beside or instead of the proofs. */
  headers?: Record<string, string>
  /** A program's, instead of a login. */
  token?: string
  key?: string
  type?: string
  address?: string
  /** Of the page that asks. */
  origin?: string
}

export interface Answer {
  status: number
  headers: Headers
  json: { error?: { code: string } } & Record<string, unknown>
}

export class TestApi {
  readonly store: TestStore
  readonly core: Core
  readonly auth: Auth
  readonly setup: Setup
  readonly authenticate: Authenticate
  readonly proofs = new Proofs()
  readonly unexpected: unknown[] = []
  readonly api: ReturnType<typeof createApi>
  readonly #now: () => number
  readonly #browserKeys = new Map<string, BrowserKey>()
  #keys = 0

  private constructor(store: TestStore, now: () => number) {
    this.store = store
    this.#now = now
    this.core = this.restarted()
    this.auth = createAuth({
      prisma: store.prisma,
      publicUrl: url,
      guard: createWebGuard(url, 4600, true),
      secret: 's'.repeat(40),
      onPersonChanged: () => {},
    })
    this.setup = createSetup(store.setup, this.auth)
    const { byToken } = this.core.account
    const { proofs } = this
    const { findLogin } = store
    this.authenticate = createAuthenticate({ proofs, findLogin, byToken })
    const { knownKey } = this.core.logins
    this.api = createApi({
      core: this.core,
      auth: this.auth,
      setup: this.setup,
      authenticate: this.authenticate,
      recognise: createRecognise({ proofs, findLogin, knownKey }),
      proofs,
      version: '0',
      addressHeader: CLIENT_ADDRESS_HEADER,
      onInternalError: (error) => this.unexpected.push(error),
    })
  }

  static async start(now: () => number = Date.now): Promise<TestApi> {
    return new TestApi(await openTestStore(), now)
  }

  /** The core of a hub that starts anew on the same database. */
  restarted(): Core {
    const accounts = createAccounts(() => this.auth)
    const keeper = createFactorKeeper(() => this.auth)
    const secretKeeper = createSecretKeeper(() => this.auth)
    const deps = {
      ...this.store,
      accounts,
      keeper,
      secretKeeper,
      outbound: nobody,
      bots: anyBot,
      newHubEpoch,
      now: this.#now,
    }
    return createCore({ ...deps, hubUrls: () => [url] })
  }

  key = () => `a-key-of-${++this.#keys}`

  async ask(method: string, path: string, asked: Asked = {}): Promise<Answer> {
    const { body, login, newKey, token, key, type = 'application/json', address = '::1', origin = url } = asked
    const headers: Record<string, string> = { origin, [CLIENT_ADDRESS_HEADER]: address }
    if (token) headers.authorization = `Bearer ${token}`
    if (key) headers['idempotency-key'] = key
    if (body !== undefined) headers['content-type'] = type
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const request = { method, path, body: text ?? '' }
    if (login) headers[proofHeaders.login] = await this.proofOf(login, request)
    if (newKey) headers[proofHeaders.newKey] = await this.proofOf(newKey, request, 'newKey')
    Object.assign(headers, asked.headers)
    const init = { method, headers, ...(body === undefined ? {} : { body: text }) }
    const answer = await this.api.request(`${url}${path}`, init)
    return { status: answer.status, headers: answer.headers, json: (await answer.json()) as Answer['json'] }
  }

  /** The id of a key that a browser has just made. */
  async newKey(): Promise<string> {
    const key = await makeBrowserKey()
    this.#browserKeys.set(key.keyId, key)
    return key.keyId
  }

  /** A proof header of this key. */
  async proofOf(
    keyId: string,
    request: { method: string; path: string; body: string; nonce?: string },
    purpose: 'login' | 'newKey' = 'login',
  ): Promise<string> {
    const key = this.#browserKeys.get(keyId)
    return key ? signProof(key, purpose, { nonce: this.proofs.nonce(), ...request }) : keyId
  }

  /** Signs in with a key made for it. The login is known by that key's id; null where it was refused. */
  async loginOf(person: { email: string; password: string }): Promise<string | null> {
    const { email, password } = person
    const newKey = await this.newKey()
    const answer = await this.ask('POST', '/api/auth/sign-in/email', { body: { email, password }, newKey })
    return answer.status === 200 ? newKey : null
  }

  /** Makes the owner at the first call. */
  async signIn(): Promise<string> {
    const code = await this.setup.issueCode()
    if (code !== null) await this.ask('POST', '/api/v1/setup', { body: { code, ...owner } })
    return (await this.loginOf(owner)) ?? ''
  }

  remove(): Promise<void> {
    return this.store.remove()
  }
}

/** The whole REST interface without a socket: real SQLite, real logins, requests as a browser or a program sends them. */
import { createApi } from '../api'
import { createAccounts } from '../auth/accounts'
import { type Authenticate, createAuthenticate } from '../auth/authenticate'
import { type Auth, CLIENT_ADDRESS_HEADER, createAuth } from '../auth/better-auth'
import { createFactorKeeper } from '../auth/factor-keeper'
import { createSetup, type Setup } from '../auth/setup'
import { createWebGuard } from '../auth/web-guard'
import { type Core, createCore } from '../core'
import { newHubEpoch } from '../store'
import { openTestStore, type TestStore } from './test-store'

export const url = 'http://localhost:4600'
export const owner = { name: 'Ana', email: 'ana@example.com', password: 'correct horse battery' }

export interface Asked {
  body?: unknown
  cookie?: string
  /** A program's, instead of a cookie. */
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
  readonly unexpected: unknown[] = []
  readonly api: ReturnType<typeof createApi>
  readonly #now: () => number
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
      onLoginEnded: () => {},
      onPersonChanged: () => {},
    })
    this.setup = createSetup(store.prisma, this.auth)
    const { byToken } = this.core.account
    this.authenticate = createAuthenticate({ auth: this.auth, findLogin: store.findLogin, byToken })
    this.api = createApi({
      core: this.core,
      auth: this.auth,
      setup: this.setup,
      authenticate: this.authenticate,
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
    return createCore({ ...this.store, accounts, keeper, hubUrls: () => [url], newHubEpoch, now: this.#now })
  }

  key = () => `a-key-of-${++this.#keys}`

  async ask(method: string, path: string, asked: Asked = {}): Promise<Answer> {
    const { body, cookie, token, key, type = 'application/json', address = '::1', origin = url } = asked
    const headers: Record<string, string> = { origin, [CLIENT_ADDRESS_HEADER]: address }
    if (cookie) headers.cookie = cookie
    if (token) headers.authorization = `Bearer ${token}`
    if (key) headers['idempotency-key'] = key
    if (body !== undefined) headers['content-type'] = type
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const init = { method, headers, ...(body === undefined ? {} : { body: text }) }
    const answer = await this.api.request(`${url}${path}`, init)
    return { status: answer.status, headers: answer.headers, json: (await answer.json()) as Answer['json'] }
  }

  /** The cookie of whoever has this password, or null. */
  async cookieOf(person: { email: string; password: string }): Promise<string | null> {
    const { email, password } = person
    const answer = await this.ask('POST', '/api/auth/sign-in/email', { body: { email, password } })
    if (answer.status !== 200) return null
    const lines = answer.headers.getSetCookie().map((line) => line.split(';')[0])
    return lines.join('; ')
  }

  /** Makes the owner at the first call. */
  async signIn(): Promise<string> {
    const code = await this.setup.issueCode()
    if (code !== null) await this.ask('POST', '/api/v1/setup', { body: { code, ...owner } })
    return (await this.cookieOf(owner)) ?? ''
  }

  remove(): Promise<void> {
    return this.store.remove()
  }
}

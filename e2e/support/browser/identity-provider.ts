/**
 * A small identity provider (OpenID Connect) on this machine: one client, the user that a test names, and one-time
 * codes. It listens at 127.0.0.1 while the hub is at localhost, so a browser treats it as another site. A test that
 * wants a wrong token puts it into `bend`.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HubProcess } from '../processes/hub-process'

interface Grant {
  redirectUri: string
  nonce: string
  challenge: string
}

export interface Bend {
  claims?: Record<string, unknown>
  /** Signed by a key that is not the provider's. */
  foreignKey?: boolean
  header?: Record<string, unknown>
  document?: Record<string, unknown>
  /** The token endpoint returns no ID token. */
  bare?: boolean
}

const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })

export class IdentityProvider {
  readonly clientId = 'roundhouse'
  readonly clientSecret = 'a secret of the client'
  readonly label = 'Example ID'
  /** The user who is signed in there. */
  person = { sub: 'sub-ana', email: 'ana@example.com' }
  bend: Bend = {}
  /** Every request for an authorization, as it arrived. */
  readonly asked: URL[] = []
  readonly #grants = new Map<string, Grant>()
  readonly #keys = keyPair()
  readonly #foreign = keyPair().privateKey
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#answer(request, response)
    })
  }

  static async start(): Promise<IdentityProvider> {
    const provider = new IdentityProvider()
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve))
    return provider
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The hub's settings for this provider. */
  get env(): Record<string, string> {
    return {
      ROUNDHOUSE_OIDC_ISSUER: this.issuer,
      ROUNDHOUSE_OIDC_CLIENT_ID: this.clientId,
      ROUNDHOUSE_OIDC_CLIENT_SECRET: this.clientSecret,
      ROUNDHOUSE_OIDC_LABEL: this.label,
    }
  }

  /** Follows the redirect as the person's browser does, consents, and returns the redirect back: a path of the hub. */
  async consent(url: string, hub: HubProcess): Promise<string> {
    const page = await (await fetch(url)).text()
    const back = /href="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
    if (!back?.startsWith(`${hub.url}/`)) throw new Error(`the provider does not lead back: ${page}`)
    return back.slice(hub.url.length)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer)
    if (url.pathname === '/authorize') this.#authorize(url, response)
    else if (url.pathname === '/token') json(response, ...(await this.#token(request)))
    else if (url.pathname === '/keys') json(response, 200, { keys: [this.#publicKey()] })
    else json(response, 200, this.#document())
  }

  #document(): Record<string, unknown> {
    const at = (path: string) => `${this.issuer}${path}`
    const doors = { authorization_endpoint: at('/authorize'), token_endpoint: at('/token'), jwks_uri: at('/keys') }
    return { issuer: this.issuer, ...doors, ...this.bend.document }
  }

  #publicKey() {
    return { ...this.#keys.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }
  }

  #authorize(url: URL, response: ServerResponse): void {
    const of = (name: string) => url.searchParams.get(name) ?? ''
    this.asked.push(url)
    const isRight =
      of('client_id') === this.clientId && of('response_type') === 'code' && of('code_challenge_method') === 'S256'
    if (!isRight || of('scope') !== 'openid') {
      json(response, 400, { error: 'invalid_request' })
      return
    }
    const code = randomBytes(16).toString('base64url')
    const redirectUri = of('redirect_uri')
    this.#grants.set(code, { redirectUri, nonce: of('nonce'), challenge: of('code_challenge') })
    const back = new URL(redirectUri)
    back.search = String(new URLSearchParams({ code, state: of('state') }))
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(
      `<title>Example ID</title><a href="${back.href.replaceAll('&', '&amp;')}">Go on as ${this.person.sub}</a>`,
    )
  }

  async #token(request: IncomingMessage): Promise<[status: number, body: object]> {
    let text = ''
    for await (const part of request) text += part
    const form = new URLSearchParams(text)
    const grant = this.#grants.get(form.get('code') ?? '')
    this.#grants.delete(form.get('code') ?? '')
    const credential = Buffer.from([this.clientId, this.clientSecret].map(formEncoded).join(':')).toString('base64')
    if (request.headers.authorization !== `Basic ${credential}`) return [401, { error: 'invalid_client' }]
    const verifier = form.get('code_verifier') ?? ''
    const isGranted = grant?.challenge === createHash('sha256').update(verifier).digest('base64url')
    if (!isGranted || grant.redirectUri !== form.get('redirect_uri')) return [400, { error: 'invalid_grant' }]
    const answer = { access_token: randomBytes(16).toString('base64url'), token_type: 'Bearer', expires_in: 3_600 }
    return [200, { ...answer, ...(this.bend.bare ? {} : { id_token: this.#idToken(grant) }) }]
  }

  #idToken({ nonce }: Grant): string {
    const now = Math.floor(Date.now() / 1000)
    const usual = { iss: this.issuer, aud: this.clientId, iat: now, exp: now + 300, nonce, email_verified: true }
    const header = { alg: 'RS256', kid: 'one', typ: 'JWT', ...this.bend.header }
    const key = this.bend.foreignKey ? this.#foreign : this.#keys.privateKey
    return signed(header, { ...usual, ...this.person, ...this.bend.claims }, key)
  }
}

function signed(header: Record<string, unknown>, claims: Record<string, unknown>, key: KeyObject): string {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  if (header.alg === 'none') return `${text}.`
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** Encodes both halves of a client's credential as the standard requires. */
const formEncoded = (text: string) => new URLSearchParams({ text }).toString().slice('text='.length)

/**
 * HTTP of an unauthenticated caller: without our client, with every header given. Two names are no headers: `login` is
 * the id of a key that is proven as in a browser, and `new-key` the id of a key with which a sign-in begins. A text
 * that is no such id is sent as the proof itself.
 */
import { request } from 'node:http'
import { connect } from 'node:net'
import { type AgentsList, proofHeaders } from '@roundhouse/backend-types'
import { type BrowserKey, makeBrowserKey, signProof } from '@roundhouse/hub-client'
import type { HubProcess } from '../processes/hub-process'
import { owner } from '../processes/hub-process'

export interface RawAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
  code: string | undefined
}

export interface RawAsk {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/** Every browser key that a test made, by its id. */
const browserKeys = new Map<string, BrowserKey>()
const pseudo = { login: proofHeaders.login, 'new-key': proofHeaders.newKey } as const

/** The id of a key that a browser has just made. */
export async function newBrowserKey(): Promise<string> {
  const key = await makeBrowserKey()
  browserKeys.set(key.keyId, key)
  return key.keyId
}

export class RawWeb {
  #owner = ''
  /** The newest nonce of the hub. */
  #nonce = ''

  constructor(readonly hub: HubProcess) {}

  get origin(): string {
    return `http://localhost:${this.hub.port}`
  }

  async ask(target: string, ask: RawAsk = {}): Promise<RawAnswer> {
    const first = await this.#askOnce(target, ask)
    const isOurs = Object.keys(pseudo).some((name) => browserKeys.has(ask.headers?.[name] ?? ''))
    return first.code === 'PROOF_STALE' && isOurs ? this.#askOnce(target, ask) : first
  }

  async #askOnce(target: string, { headers = {}, ...ask }: RawAsk): Promise<RawAnswer> {
    const answer = await this.#send(target, { ...ask, headers: await this.proven(target, { ...ask, headers }) })
    this.#nonce = String(answer.headers[proofHeaders.nonce] ?? this.#nonce)
    return answer
  }

  /** These headers, with proofs in place of `login` and `new-key`. */
  async proven(target: string, { method = 'GET', headers = {}, body = '' }: RawAsk): Promise<Record<string, string>> {
    const { login, 'new-key': newKey, ...rest } = headers
    const request = { method, path: target, body: String(body), nonce: this.#nonce }
    const proof = async (id: string, purpose: 'login' | 'newKey') => {
      const key = browserKeys.get(id)
      return { [proofHeaders[purpose]]: key ? await signProof(key, purpose, request) : id }
    }
    return {
      ...rest,
      ...(login === undefined ? {} : await proof(login, 'login')),
      ...(newKey === undefined ? {} : await proof(newKey, 'newKey')),
    }
  }

  /** A nonce for a hand-made proof. */
  async freshNonce(): Promise<string> {
    await this.ask('/api/v1/me')
    return this.#nonce
  }

  #send(target: string, { method = 'GET', headers = {}, body }: RawAsk): Promise<RawAnswer> {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    return new Promise((resolve, reject) => {
      const sent = request({
        host: '127.0.0.1',
        port: this.hub.port,
        method,
        path: target,
        setHost: false,
        agent: false,
        headers: { host: `localhost:${this.hub.port}`, ...length, ...headers },
      })
      sent.once('error', reject)
      sent.once('response', (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => (text += part))
        response.once('error', reject)
        response.once('end', () => {
          const { statusCode: status = 0, headers } = response
          resolve({ status, headers, body: text, code: codeOf(text) })
        })
      })
      sent.end(body)
    })
  }

  post(target: string, body: unknown, headers: Record<string, string> = {}): Promise<RawAnswer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return this.ask(target, { method: 'POST', body: text, headers: { ...this.json, ...headers } })
  }

  get json(): Record<string, string> {
    return { origin: this.origin, 'content-type': 'application/json' }
  }

  /** Sends these bytes and reads until the hub closes the connection. */
  bytes(text: string): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(this.hub.port, '127.0.0.1', () => socket.write(text, 'latin1'))
      let heard = ''
      socket.setEncoding('latin1').on('data', (part: string) => (heard += part))
      socket.on('error', () => {})
      socket.once('close', () => resolve(heard))
    })
  }

  async makeOwner(): Promise<string> {
    await this.post('/api/v1/setup', { code: this.hub.setupCode, ...owner })
    return this.asOwner()
  }

  /** For a hub that has its owner already. */
  async asOwner(): Promise<string> {
    this.#owner = await this.signIn(owner.email)
    return this.#owner
  }

  /** Returns the id of the key, which is the login from now on. */
  async signIn(email: string, headers: Record<string, string> = {}): Promise<string> {
    const login = await newBrowserKey()
    const credentials = { email, password: owner.password }
    const answer = await this.post('/api/auth/sign-in/email', credentials, { 'new-key': login, ...headers })
    if (answer.status !== 200) throw new Error(`sign-in of ${email}: ${answer.status} ${answer.body}`)
    return login
  }

  /** A second person with the owner's password, created by an invitation. Without `shared`, all present machines are shared with them. */
  async addPerson(name: string, role: string, shared?: readonly string[]): Promise<string> {
    const email = `${name}@example.com`
    const login = this.#owner
    const machines = JSON.parse((await this.ask('/api/v1/agents', { headers: { login } })).body) as AgentsList
    const agents = shared ?? machines.items.map(({ agentId }) => agentId)
    const invited = await this.post(
      '/api/v1/invitations',
      { email, role, agents },
      { login, 'idempotency-key': `invite-${name}-${role}` },
    )
    const code = String(JSON.parse(invited.body).link).split('#')[1]
    const joined = await this.post('/api/v1/invitations/accept', { code, name, password: owner.password })
    if (joined.status !== 201) throw new Error(`${email} did not come in: ${joined.status} ${joined.body}`)
    return email
  }
}

function codeOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: { code?: string } }).error?.code
  } catch {
    return undefined
  }
}

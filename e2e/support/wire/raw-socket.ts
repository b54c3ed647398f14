/** Sockets of an unauthenticated caller: hand-written frames of engine.io and socket.io, and an agent's key of our own. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { agentAuthHeaders, proofHeaders, signedText, socketProofPath } from '@roundhouse/backend-types'
import WebSocket from 'ws'
import { until } from '../common/until'
import type { RawWeb } from './raw-web'

export class RawSocket {
  readonly heard: string[] = []
  readonly #socket: WebSocket
  /** 101, or what the hub answered instead. */
  readonly status: Promise<number>
  readonly closed: Promise<number>
  readonly #web: RawWeb
  /** The key that is proven when entering a namespace. */
  readonly #login: string | undefined

  /** `login` is not a header: it is the id of a browser's key, as in `RawWeb`. */
  constructor(web: RawWeb, { login, ...headers }: Record<string, string>, query = 'EIO=4&transport=websocket') {
    const own = { host: `localhost:${web.hub.port}`, ...headers }
    this.#web = web
    this.#login = login
    this.#socket = new WebSocket(`ws://127.0.0.1:${web.hub.port}/socket.io/?${query}`, { headers: own })
    const socket = this.#socket
    socket.on('message', (data) => this.#hear(String(data)))
    this.closed = new Promise((resolve) => socket.once('close', resolve))
    this.status = new Promise((resolve) => {
      socket.once('open', () => resolve(101))
      socket.once('unexpected-response', (_request, response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
        socket.terminate()
      })
      socket.on('error', () => resolve(0))
    })
  }

  #hear(text: string): void {
    if (text === '2') this.send('3')
    else this.heard.push(text)
  }

  /** Enters a namespace. Resolves when the hub confirms it. */
  async enter(name: string): Promise<this> {
    await this.status
    this.send(await this.entry(name))
    await this.hears(`40/${name},`)
    return this
  }

  /** The frame that asks for a namespace, with the login's proof. */
  async entry(name: string): Promise<string> {
    if (this.#login === undefined) return `40/${name},`
    await this.#web.freshNonce()
    const { [proofHeaders.login]: proof } = await this.#web.proven(socketProofPath, { headers: { login: this.#login } })
    return `40/${name},${JSON.stringify({ proof })}`
  }

  send(frame: string | Buffer): void {
    this.#socket.send(frame)
  }

  /** The first frame with this beginning. */
  hears(start: string): Promise<string> {
    return until(`a frame ${start} among ${JSON.stringify(this.heard).slice(0, 500)}`, () =>
      this.heard.find((frame) => frame.startsWith(start)),
    )
  }

  /** Sends an event with an acknowledgement and a hand-written body. */
  async ask(namespace: string, event: string, json: string, id = String(nextId++)): Promise<Reply> {
    this.send(`42/${namespace},${id}[${JSON.stringify(event)},${json}]`)
    const start = `43/${namespace},${id}[`
    return JSON.parse((await this.hears(start)).slice(start.length, -1)) as Reply
  }

  close(): void {
    this.#socket.terminate()
  }
}

export interface Reply {
  ok: boolean
  error?: { code: string; message: string }
  [more: string]: unknown
}

let nextId = 1

/** An agent that consists only of its key. */
export class RawAgent {
  readonly #key = generateKeyPairSync('ed25519')
  agentId = ''
  #chain = ''

  constructor(private readonly web: RawWeb) {}

  get publicKey(): string {
    return this.#key.publicKey.export({ type: 'spki', format: 'der' }).subarray(12).toString('base64url')
  }

  sign(text: string): string {
    return sign(null, Buffer.from(text), this.#key.privateKey).toString('base64url')
  }

  async challenge(): Promise<{ hubId: string; nonce: string }> {
    const answer = await this.web.post('/api/v1/agent/challenge', { agentNonce: randomBytes(16).toString('base64url') })
    return JSON.parse(answer.body)
  }

  async enroll(token: string, change: Record<string, unknown> = {}) {
    const { hubId, nonce } = await this.challenge()
    const { publicKey } = this
    const signature = this.sign(signedText.enroll(hubId, nonce, publicKey))
    const request = { token, nonce, publicKey, signature, name: 'box', platform: 'linux', ...change }
    const answer = await this.web.post('/api/v1/agent/enroll', request)
    if (answer.status === 201) this.agentId = JSON.parse(answer.body).agentId
    return answer
  }

  /** Asks to replace its key with the key of `next`. */
  async rotateTo(next: RawAgent) {
    const { hubId, nonce } = await this.challenge()
    const { agentId } = this
    const said = signedText.rotate(hubId, agentId, nonce, next.publicKey)
    const signatures = { signature: this.sign(said), newSignature: next.sign(said) }
    return this.web.post('/api/v1/agent/rotate-key', { agentId, nonce, newPublicKey: next.publicKey, ...signatures })
  }

  async headers(url = this.web.origin): Promise<Record<string, string>> {
    const { hubId, nonce } = await this.challenge()
    return {
      [agentAuthHeaders.agentId]: this.agentId,
      [agentAuthHeaders.nonce]: nonce,
      [agentAuthHeaders.signature]: this.sign(signedText.agentAuth(hubId, this.agentId, nonce, url)),
    }
  }

  /** The headers, or how many milliseconds the hub asks to wait. */
  async headersOrWait(url: string): Promise<Record<string, string> | number> {
    const { agentId } = this
    const agentNonce = randomBytes(16).toString('base64url')
    const answer = JSON.parse((await this.web.post('/api/v1/agent/challenge', { agentId, agentNonce })).body)
    if (answer.error) return answer.error.details?.retryAfterMs ?? 1_000
    const { hubId, nonce } = answer as { hubId: string; nonce: string }
    return {
      [agentAuthHeaders.agentId]: agentId,
      [agentAuthHeaders.nonce]: nonce,
      [agentAuthHeaders.signature]: this.sign(signedText.agentAuth(hubId, agentId, nonce, url)),
    }
  }

  /** JOIN-4: keeps the value of a welcome and returns the previous one. */
  showChain(next: string): string {
    const before = this.#chain
    this.#chain = next
    return before
  }

  /** A link that has said hello and reported no session. */
  async connect(change: Record<string, unknown> = {}): Promise<RawSocket> {
    const socket = await new RawSocket(this.web, await this.headers()).enter('agent')
    await this.hello(socket, change)
    return socket
  }

  /** Shows the value of the previous welcome, as JOIN-4 requires. */
  async hello(socket: RawSocket, change: Record<string, unknown> = {}): Promise<Reply> {
    const start = '42/agent,["welcome",'
    const welcome = JSON.parse((await socket.hears(start)).slice(start.length, -1)) as { chain: string }
    const chain = this.#chain
    this.#chain = welcome.chain
    return socket.ask('agent', 'hello', JSON.stringify({ ...hello, chain, now: Date.now(), ...change }))
  }
}

export const hello = {
  software: 'raw 1',
  protocol: [1],
  policyDigest: 'p',
  manifest: { manifestVersion: 1, generatedAt: '2026-01-01T00:00:00Z', backends: [] },
  host: { name: 'box', platform: 'linux', arch: 'x64' },
  policy: { roots: ['/code'], maxSandbox: 'workspace-write', summary: '' },
}

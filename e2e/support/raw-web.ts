/** HTTP as a stranger speaks it: no client of ours, every header is said. */
import { request } from 'node:http'
import { connect } from 'node:net'
import type { AgentsList } from '@roundhouse/backend-types'
import type { HubProcess } from './hub-process'
import { owner } from './hub-process'

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

export class RawWeb {
  #owner = ''

  constructor(readonly hub: HubProcess) {}

  get origin(): string {
    return `http://localhost:${this.hub.port}`
  }

  ask(target: string, { method = 'GET', headers = {}, body }: RawAsk = {}): Promise<RawAnswer> {
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

  /** Writes these bytes and reads until the hub hangs up. */
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

  /** Where the hub has its owner already. */
  async asOwner(): Promise<string> {
    this.#owner = await this.signIn(owner.email)
    return this.#owner
  }

  async signIn(email: string, headers: Record<string, string> = {}): Promise<string> {
    const answer = await this.post('/api/auth/sign-in/email', { email, password: owner.password }, headers)
    const [line] = answer.headers['set-cookie'] ?? []
    if (!line) throw new Error(`sign-in of ${email}: ${answer.status} ${answer.body}`)
    return line.split(';')[0] ?? ''
  }

  /** A second person with the owner's password, by an invitation. Every machine that is there is shared with them. */
  async addPerson(name: string, role: string): Promise<string> {
    const email = `${name}@example.com`
    const cookie = this.#owner
    const machines = JSON.parse((await this.ask('/api/v1/agents', { headers: { cookie } })).body) as AgentsList
    const agents = machines.items.map(({ agentId }) => agentId)
    const invited = await this.post(
      '/api/v1/invitations',
      { email, role, agents },
      { cookie, 'idempotency-key': `invite-${name}-${role}` },
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

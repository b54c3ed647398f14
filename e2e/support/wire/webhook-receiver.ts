/** A program of somebody else's on loopback that takes webhooks: plain HTTP, without any library of ours. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Arrived {
  id: string
  headers: IncomingHttpHeaders
  body: string
  type: string
  /** Of a worker's event. */
  words: string
}

type Answer = (response: ServerResponse) => unknown
const ok: Answer = (response) => response.writeHead(204).end()

export class WebhookReceiver {
  readonly arrived: Arrived[] = []
  /** Of each request from now on. */
  answer: Answer = ok
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        const { type, data } = JSON.parse(body)
        const words = String(data.data?.message ?? '')
        this.arrived.push({ id: String(request.headers['webhook-id']), headers: request.headers, body, type, words })
        this.answer(response)
      })
    })
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver()
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  url(host = '127.0.0.1'): string {
    return `http://${host}:${this.port}/hook`
  }

  get words(): string[] {
    return this.arrived.map(({ words }) => words)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end()

/** Until the test is over. */
export const hangs: Answer = () => {}

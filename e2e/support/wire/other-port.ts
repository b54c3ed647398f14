/**
 * A server on another port of the hub's host, as a program could start one. It records what browsers send and sets any
 * cookies.
 */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export class OtherPort {
  /** The headers of every request, oldest first. */
  readonly received: IncomingHttpHeaders[] = []
  /** Sent with every answer. */
  cookies: string[] = []
  readonly #server = createServer((request, response) => {
    this.received.push(request.headers)
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': this.cookies })
    response.end('<!doctype html><title>A dev server</title><p>Hello')
  })

  static async start(): Promise<OtherPort> {
    const other = new OtherPort()
    await new Promise<void>((resolve) => other.#server.listen(0, '127.0.0.1', resolve))
    return other
  }

  /** An address with the hub's host name. */
  url(host: string): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}/`
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }
}

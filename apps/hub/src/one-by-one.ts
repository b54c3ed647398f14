/**
 * WEB-2: requests of one connection are answered one by one. Node would start every request that it finds in one read, and parse all
 * of them before anybody else is answered. Here the next request waits for the answer before it, and one more ends the connection
 * where it stands: nothing behind it is parsed.
 */
import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'

/** The one that is being answered, and the next. A client may send that one as soon as it has the last byte of the answer before. */
const AT_ONCE = 2

/** What each connection still waits for, in order. */
const unanswered = new WeakMap<Duplex, ServerResponse[]>()

const isFull = (connection: Duplex) => (unanswered.get(connection)?.length ?? 0) >= AT_ONCE

/** Node stops parsing behind a request that is an upgrade. It says so of a request once, when it has read its headers. */
class Asked extends IncomingMessage {
  #upgrades = false

  get upgrade(): boolean {
    return this.#upgrades
  }

  set upgrade(is: boolean | null) {
    if (#upgrades in this) this.#upgrades = is === true || isFull(this.socket)
  }
}

class Answer extends ServerResponse {
  constructor(...made: ConstructorParameters<typeof ServerResponse>) {
    super(...made)
    const { socket } = this.req
    const answers = unanswered.get(socket) ?? []
    unanswered.set(socket, answers)
    answers.push(this)
    this.once('close', () => answers.splice(answers.indexOf(this), 1))
  }
}

export function createOneByOneServer(options: ServerOptions, listener: RequestListener): Server {
  const classes = { IncomingMessage: Asked, ServerResponse: Answer } as unknown as ServerOptions
  const server = createServer({ ...options, ...classes }, (request, response) => {
    const { socket } = request
    const answers = unanswered.get(socket) ?? []
    const before = answers[answers.indexOf(response) - 1]
    if (!before) listener(request, response)
    else before.once('close', () => socket.destroyed || listener(request, response))
  })
  server.on('upgrade', (request, connection) => {
    if (!isFull(connection)) return
    request.url = '/' // no other listener takes it
    connection.on('error', () => {})
    connection.destroy()
  })
  return server
}

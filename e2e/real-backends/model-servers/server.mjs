/**
 * What the scripted model servers share: an HTTP server on 127.0.0.1, a record of every request, server-sent events.
 */
import http from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * @typedef {object} ModelView What the model was given, in one form for every API.
 * @property {string} system
 * @property {string[]} userTexts
 * @property {string} [model]
 * @property {string[]} [toolNames]
 * @property {number} [maxOutputTokens]
 * @property {string} [thinking]
 */
/**
 * @typedef {object} ModelRequest
 * @property {string} path
 * @property {http.IncomingHttpHeaders} headers
 * @property {any} body
 * @property {boolean} scripted a script was played, so it is no side call of the program
 */
/**
 * @typedef {object} ModelServer
 * @property {string} url
 * @property {ModelRequest[]} requests every model call so far
 * @property {() => ModelView} lastView of the latest scripted request
 * @property {() => Promise<void>} close
 */
/**
 * @typedef {object} Exchange One request, read to its end.
 * @property {string} path
 * @property {string} method
 * @property {any} body parsed, or null
 * @property {number} bytes
 * @property {http.ServerResponse} response
 * @property {(request: { scripted: boolean }) => void} record
 * @property {(status: number, body: unknown, headers?: Record<string, string>) => void} sendJson
 */

/**
 * @param {(exchange: Exchange) => Promise<void>} answer
 * @param {(body: any) => ModelView} viewOf
 * @param {number} [port]
 * @returns {Promise<ModelServer>}
 */
export async function startModelServer(answer, viewOf, port = 0) {
  /** @type {ModelRequest[]} */
  const requests = []
  const server = http.createServer((request, response) => {
    readExchange(request, response, requests)
      .then(answer)
      .catch(() => response.destroy())
  })
  await new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    lastView() {
      const latest = requests.findLast(({ scripted }) => scripted)
      if (!latest) throw new Error('no scripted request has come yet')
      return viewOf(latest.body)
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/**
 * @param {http.IncomingMessage} request @param {http.ServerResponse} response @param {ModelRequest[]} requests
 * @returns {Promise<Exchange>}
 */
async function readExchange(request, response, requests) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  const path = (request.url ?? '/').split('?')[0] ?? '/'
  const body = parse(text)
  return {
    path,
    method: request.method ?? 'GET',
    body,
    bytes: text.length,
    response,
    record: ({ scripted }) => requests.push({ path, headers: request.headers, body, scripted }),
    sendJson(status, answer, headers) {
      response.writeHead(status, { 'content-type': 'application/json', 'request-id': nextId('req'), ...headers })
      response.end(JSON.stringify(answer))
    },
  }
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * No service has a model of such a name, and each says so in its own words.
 * @param {unknown} model
 */
export const isMissingModel = (model) => typeof model === 'string' && model.startsWith('no-such')

let ids = 0
/** @param {string} prefix */
export const nextId = (prefix) => `${prefix}_scripted${String(++ids).padStart(6, '0')}`

/**
 * A stream of server-sent events. `open` turns false when the client leaves; then nothing is written any more.
 * @param {http.ServerResponse} response @param {Record<string, string>} [headers]
 */
export function openStream(response, headers) {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'request-id': nextId('req'),
    ...headers,
  })
  const left = new AbortController()
  response.on('close', () => left.abort())
  return {
    get open() {
      return !left.signal.aborted
    },
    /** @param {string} type @param {object} data */
    send(type, data) {
      if (!left.signal.aborted) response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
    },
    /** @param {number | undefined} ms */
    pause: (ms) => pause(ms, left.signal),
    end: () => void (left.signal.aborted || response.end()),
    /** The client sees a connection that was cut, after everything that was written. */
    cut: () => void response.write('', () => response.destroy()),
  }
}

/**
 * Ends early, and never with an error, when the signal does.
 * @param {number | undefined} ms @param {AbortSignal} [signal] @returns {Promise<void>}
 */
export async function pause(ms, signal) {
  if (ms && !signal?.aborted) await delay(ms, undefined, { signal }).catch(() => {})
}

/** Counts how often a step has already failed on purpose. */
export class Failures {
  /** @type {Map<string, number>} */
  #counts = new Map()

  /** @param {import('./script.mjs').Chosen | null} chosen @returns {number} the HTTP status to fail with, or 0 */
  statusOf(chosen) {
    if (!chosen?.step.error) return 0
    const { error, times = Number.POSITIVE_INFINITY } = chosen.step
    const count = this.#counts.get(chosen.key) ?? 0
    this.#counts.set(chosen.key, count + 1)
    return count < times ? error : 0
  }
}

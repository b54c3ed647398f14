/**
 * The one HTTP server: Host and Origin judged first, security headers on every answer, then REST (Hono) or the pages
 * (Next). Sockets attach to the same server.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { CodedError, proofHeaders } from '@roundhouse/backend-types'
import { CLIENT_ADDRESS_HEADER } from './auth/better-auth'
import type { ClientAddress } from './auth/client-address'
import { answerToCookies, endOldCookies } from './auth/old-cookies'
import { apiContentSecurityPolicy, contentSecurityPolicy, fixedHeaders } from './auth/security-headers'
import { judgeRequest, type WebGuard } from './auth/web-guard'
import { createOneByOneServer } from './one-by-one'

/** A prompt of 1 MiB, escaped. Whose body it is, and so how much of it is read, is judged later (`api/read-body.ts`). */
const BODY_LIMIT_BYTES = 4 * 1_048_576
const SHORT_REST_BYTES = 65_536
/** Until a connection whose body was not read is closed: so long its client has to take the answer. */
const UNREAD_MS = 500

export interface WebServerOptions {
  /** Known only after `listen`, since the port may be 0. */
  guard: () => WebGuard
  addressOf: ClientAddress
  /** For the first proof that a page makes. */
  proofNonce: () => string
  api: () => RequestListener
  pages: () => RequestListener
  /** Development only: the pages have a socket of their own. */
  otherSockets?: boolean
}

/** What a browser may send of a person. With any of these a request that changes something needs our Origin. */
const credentials = ['cookie', proofHeaders.login, proofHeaders.newKey]

/** Headers within 5 s and 8 KiB: a slow or endless handshake never holds a socket (LINK-1). */
export function createWebServer(options: WebServerOptions): Server {
  const limits = {
    headersTimeout: 5_000,
    requestTimeout: 60_000,
    maxHeaderSize: 8_192,
    connectionsCheckingInterval: 1_000,
  }
  const server = createOneByOneServer(limits, (request, response) => handle(options, request, response))
  server.on('upgrade', (request, socket) => {
    if (request.url?.startsWith('/socket.io/') || options.otherSockets) return
    socket.on('error', () => {})
    socket.destroy() // nothing else here speaks WebSocket, and an upgrade that nobody takes would stay open
  })
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket) => {
    // A browser opens connections ahead of need. One that said nothing in time is closed without a word: an answer would
    // be taken for that of the next request on it.
    const silent = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' || error.code === 'ECONNRESET' || !socket.writable
    if (silent) socket.destroy()
    else socket.end(answerToCookies(error.rawPacket) ?? 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n')
  })
  return server
}

function handle(options: WebServerOptions, request: IncomingMessage, response: ServerResponse): void {
  const url = request.url ?? '/'
  if (url.startsWith('/socket.io/')) return
  for (const [name, value] of Object.entries(fixedHeaders)) response.setHeader(name, value)
  const refusal = judgeRequest(options.guard(), {
    method: request.method ?? 'GET',
    path: url,
    host: request.headers.host,
    origin: request.headers.origin,
    secFetchSite: headerOf(request, 'sec-fetch-site'),
    secFetchDest: headerOf(request, 'sec-fetch-dest'),
    hasCredential: credentials.some((name) => request.headers[name] !== undefined),
  })
  const refused = refusal ? new CodedError(refusal) : (judgeTarget(url) ?? judgeBody(request))
  if (refused) {
    refuse(response, refused)
    return
  }
  for (const line of endOldCookies(request.headers.cookie)) response.appendHeader('set-cookie', line)
  dropRequestHeader(request, 'cookie') // nothing here reads one: what another port of this host sets is worth nothing
  setRequestHeader(request, CLIENT_ADDRESS_HEADER, options.addressOf(request))
  hangUpOnUnread(request, response)
  if (url.startsWith('/api/')) {
    response.setHeader('content-security-policy', apiContentSecurityPolicy)
    options.api()(request, response)
    return
  }
  if (!isRead(request) && !options.otherSockets) {
    refuse(response, new CodedError('METHOD_NOT_ALLOWED'))
    return
  }
  if (url.startsWith('/_next/image')) {
    refuse(response, new CodedError('NOT_FOUND')) // no page has an image that is made smaller here
    return
  }
  const policy = contentSecurityPolicy(randomBytes(16).toString('base64'))
  setRequestHeader(request, 'content-security-policy', policy) // Next and the root layout read the nonce from here
  setRequestHeader(request, proofHeaders.nonce, options.proofNonce())
  response.setHeader('content-security-policy', policy)
  options.pages()(request, response)
}

/** Pages are only read: what changes something is a route of the API, and nothing else takes a body. */
const isRead = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD'

/** A path of this hub. Not `*`, no whole address, and nothing that a browser would take for another host. */
function judgeTarget(url: string): CodedError | null {
  return /^\/(?![/\\])/.test(url) ? null : new CodedError('INVALID_ARGUMENT', 'Request a path of this hub.')
}

/** Bodies say how long they are, and are no longer than that: nothing reads on without an end. What only reads takes none. */
function judgeBody(request: IncomingMessage): CodedError | null {
  if (request.headers['transfer-encoding'] !== undefined) {
    return new CodedError('INVALID_ARGUMENT', 'Send the body with a Content-Length.')
  }
  const bytes = Number(request.headers['content-length'] ?? 0)
  if (bytes > 0 && isRead(request))
    return new CodedError('INVALID_ARGUMENT', 'A request that only reads must not have a body.')
  return bytes > BODY_LIMIT_BYTES ? new CodedError('FRAME_TOO_LARGE') : null
}

export function refuse(response: ServerResponse, error: CodedError): void {
  // A body that was not read is still on its way: no other request may follow on this connection.
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', connection: 'close' }
  const later = error.code === 'RATE_LIMITED' ? { 'retry-after': '1' } : {}
  response.writeHead(error.status, { ...headers, ...later })
  response.end(JSON.stringify({ error: error.toBody() }))
}

/** An answer that did not need the body: a short rest of it is discarded, a long one is not even received. */
function hangUpOnUnread(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.complete) return
    if (Number(request.headers['content-length']) > SHORT_REST_BYTES) request.socket.pause()
    else request.resume()
    setTimeout(() => {
      if (!request.complete) request.socket.destroy()
    }, UNREAD_MS).unref()
  })
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/**
 * Sets a header as if the client had sent it, and drops what the client did send under that name. Both views of the
 * headers must change: the Hono adapter reads single headers from `headers`, but copies from `rawHeaders`.
 */
function setRequestHeader(request: IncomingMessage, name: string, value: string): void {
  dropRequestHeader(request, name)
  request.headers[name] = value
  request.rawHeaders.push(name, value)
}

function dropRequestHeader(request: IncomingMessage, name: string): void {
  delete request.headers[name]
  const raw = request.rawHeaders
  for (let i = raw.length - 2; i >= 0; i -= 2) if (raw[i]?.toLowerCase() === name) raw.splice(i, 2)
}

/**
 * WEB-1: who may talk to this origin at all. Pure judgements over the headers of one request or handshake, in this
 * order: Host, then Origin. The credential comes after, in `authenticate`.
 *
 * - The Host must be one that this hub answers under; a name that merely resolves to loopback is a rebinding attack.
 * - What a browser sends of a person (a proof of its key; a cookie, which is worth nothing) counts only with our own Origin, on
 *   sockets and on every method but GET and HEAD.
 * - GET and HEAD change nothing; under `/api` they refuse a cross-site fetch. The one exception is the way back from the
 *   identity provider: a page that the browser goes to, worth nothing without the key that began.
 * - A request that sends a foreign Origin is refused whatever credential it carries.
 */
import type { ErrorCode } from '@roundhouse/backend-types'

/** The path to which the identity provider redirects people. */
export const OIDC_CALLBACK_PATH = '/api/auth/callback/oidc'

export interface WebGuard {
  hosts: ReadonlySet<string>
  origins: ReadonlySet<string>
}

/** `port` is where the hub listens; on loopback it answers under the loopback names as well as the public one. */
export function createWebGuard(publicUrl: string, port: number, loopback: boolean): WebGuard {
  const url = new URL(publicUrl)
  const local = loopback ? ['localhost', '127.0.0.1', '[::1]'].map((name) => `${name}:${port}`) : []
  const hosts = new Set([url.host, ...local])
  const origins = new Set([url.origin, ...local.map((host) => `http://${host}`)])
  return { hosts, origins }
}

export interface WebRequest {
  method: string
  path: string
  host: string | undefined
  origin: string | undefined
  secFetchSite: string | undefined
  secFetchDest?: string | undefined
  hasCredential: boolean
}

export function judgeRequest(guard: WebGuard, request: WebRequest): ErrorCode | null {
  if (!isOurHost(guard, request.host)) return 'HOST_NOT_ALLOWED'
  if (request.origin !== undefined && !isOurOrigin(guard, request.origin, request.host)) return 'ORIGIN_NOT_ALLOWED'
  const reads = request.method === 'GET' || request.method === 'HEAD'
  if (reads && isCrossSite(request) && !isWayBack(request)) return 'ORIGIN_NOT_ALLOWED'
  if (!reads && request.hasCredential && request.origin === undefined) return 'ORIGIN_NOT_ALLOWED'
  return null
}

function isCrossSite({ path, secFetchSite }: WebRequest): boolean {
  return path.startsWith('/api/') && secFetchSite === 'cross-site'
}

/** Not in a frame, not by a script, not as a picture. */
function isWayBack({ method, path, secFetchDest }: WebRequest): boolean {
  return method === 'GET' && secFetchDest === 'document' && path.startsWith(`${OIDC_CALLBACK_PATH}?`)
}

/** A browser's socket handshake: always with our Origin. */
export function judgeViewerHandshake(
  guard: WebGuard,
  host: string | undefined,
  origin: string | undefined,
): ErrorCode | null {
  if (!isOurHost(guard, host)) return 'HOST_NOT_ALLOWED'
  return origin !== undefined && isOurOrigin(guard, origin, host) ? null : 'ORIGIN_NOT_ALLOWED'
}

/** An agent's handshake: no Origin at all, since no agent is a page. */
export function judgeAgentHandshake(
  guard: WebGuard,
  host: string | undefined,
  origin: string | undefined,
): ErrorCode | null {
  if (!isOurHost(guard, host)) return 'HOST_NOT_ALLOWED'
  return origin === undefined ? null : 'ORIGIN_NOT_ALLOWED'
}

function isOurHost(guard: WebGuard, host: string | undefined): boolean {
  return host !== undefined && guard.hosts.has(host.toLowerCase())
}

/** Ours, and of the very host that was asked: two names of one hub are two origins to a browser. */
function isOurOrigin(guard: WebGuard, origin: string, host: string | undefined): boolean {
  return guard.origins.has(origin) && new URL(origin).host === host?.toLowerCase()
}

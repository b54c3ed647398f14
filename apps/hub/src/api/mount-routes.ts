/**
 * Mounts the table of routes: parses, authenticates, calls the handler and shapes the answer, so that no handler can forget a step.
 */
import { CodedError, Id, needsKey, type RouteName, type RouteSpec, routeIds, routes } from '@roundhouse/backend-types'
import type { Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Authenticate, Login } from '../auth/authenticate'
import type { Actor } from '../core'
import type { Call, Handlers } from './handlers/handlers'
import { OwnResponse } from './handlers/own-response'
import { readBody, readUpload } from './request/read-body'
import { deviceOf, shownBy } from './request/sender'

export interface MountDeps {
  authenticate: Authenticate
  /** Throws unless they still have what they were judged by (AUTH-1). */
  requireStill: (actor: Actor) => Promise<void>
  addressHeader: string
}

export function mount(app: Hono, handlers: Handlers, deps: MountDeps): void {
  for (const [name, route] of Object.entries(routes) as Array<[RouteName, RouteSpec]>) {
    const run = handlers[name] as (call: unknown) => unknown
    app.on(route.method.toUpperCase(), route.path, async (c) => {
      const call = await parse(c, route, deps)
      const answer = (await run(call)) as object
      try {
        if ((route.method === 'get' || route.asks) && route.access !== 'open') await deps.requireStill(call.actor) // a machine may have taken its time
      } catch (error) {
        if (answer instanceof OwnResponse) answer.dispose()
        throw error
      }
      if (answer instanceof OwnResponse) {
        const response = answer.response()
        if (c.req.method === 'HEAD') answer.dispose() // nobody takes its body, and nothing would end it
        return response
      }
      return c.json(answer, (route.status ?? 200) as ContentfulStatusCode)
    })
  }
}

type ParsedCall = Omit<Call, 'body' | 'query' | 'id'> & { body: unknown; query: unknown; id: Record<string, string> }

async function parse(c: Context, route: RouteSpec, deps: MountDeps): Promise<ParsedCall> {
  const open = route.access === 'open'
  const login = open ? null : await deps.authenticate(shownBy(c))
  if (!open && !login) throw new CodedError('AUTH_REQUIRED')
  if (route.access === 'person' && login?.program) {
    throw new CodedError('FORBIDDEN', 'Only a signed-in person can do that.')
  }
  const address = c.req.header(deps.addressHeader) ?? ''
  return {
    actor: { ...login?.actor, address } as Actor, // open routes never look at it
    login: login as Login,
    id: idsOf(c, route.path),
    query: route.query ? route.query.parse(c.req.query()) : undefined,
    body: route.body ? route.body.parse(await readBody(c, login)) : undefined,
    bytes: route.upload ? await readUpload(c, login, route.upload) : new Uint8Array(),
    accept: c.req.header('accept') ?? '',
    key: needsKey(route) ? keyOf(c) : '',
    address,
    device: deviceOf(c.req.header('user-agent')),
  }
}

/** Canonical before anything is looked up by it. */
function idsOf(c: Context, path: string): Record<string, string> {
  const ids: Record<string, string> = {}
  for (const name of routeIds(path)) {
    const parsed = Id.safeParse(c.req.param(name))
    if (!parsed.success) throw new CodedError('NOT_FOUND')
    ids[name] = parsed.data
  }
  return ids
}

function keyOf(c: Context): string {
  const key = c.req.header('idempotency-key')
  if (!key) throw new CodedError('IDEMPOTENCY_KEY_REQUIRED')
  if (!/^[A-Za-z0-9_-]{8,100}$/.test(key)) {
    throw new CodedError('INVALID_ARGUMENT', 'Idempotency-Key must have 8 to 100 letters, digits, _ and -.')
  }
  return key
}

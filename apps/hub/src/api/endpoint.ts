/**
 * One REST endpoint as data plus one call into the core. `mount` parses, authenticates, calls and shapes, so that no
 * handler can forget a step; the same data makes the OpenAPI document, so that no route can be missing from it.
 */
import type { OpenAPIHono, RouteConfig } from '@hono/zod-openapi'
import { CodedError, type ErrorCode, errorTable, Id, proofHeaders } from '@roundhouse/backend-types'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { z } from 'zod'
import type { Authenticate, Login, Shown } from '../auth/authenticate'
import type { Actor } from '../core'
import { Download } from './download'
import { readBody, readUpload, type Upload } from './read-body'

export interface Call<B, Q> {
  actor: Actor
  login: Login
  body: B
  /** Of an upload. */
  bytes: Uint8Array
  query: Q
  /** Ids from the path, already checked. */
  id: Record<string, string>
  /** The `Idempotency-Key` of a POST or DELETE. */
  key: string
  /** The client's address and a few words about its device. */
  address: string
  device: string
}

interface Spec<B extends z.ZodType, Q extends z.ZodType, A extends z.ZodType> {
  method: 'get' | 'post' | 'patch' | 'delete'
  /** Under `/api/v1`, with `:name` for ids. */
  path: string
  summary: string
  tag: string
  body?: B
  /** The body is a file and not JSON. */
  upload?: Upload
  /** The answer is a `Download`. */
  download?: true
  query?: Q
  answer: A
  status?: 200 | 201 | 202
  errors?: readonly ErrorCode[]
  /** No login needed: setup, health, challenge, enrollment. */
  open?: boolean
  /** About the person's own account, or for a person's eyes: no token does that. */
  personally?: boolean
}

export interface Endpoint {
  spec: Spec<z.ZodType, z.ZodType, z.ZodType>
  run: (call: Call<never, never>) => unknown
}

export function endpoint<B extends z.ZodType, Q extends z.ZodType, A extends z.ZodType>(
  spec: Spec<B, Q, A>,
  run: (call: Call<z.output<B>, z.output<Q>>) => Promise<z.input<A>> | z.input<A>,
): Endpoint {
  return { spec, run: run as Endpoint['run'] }
}

export interface MountDeps {
  authenticate: Authenticate
  /** Throws unless they still have what they were judged by (AUTH-1). */
  requireStill: (actor: Actor) => void
  addressHeader: string
}

export function mount(app: OpenAPIHono, endpoints: readonly Endpoint[], deps: MountDeps): void {
  for (const { spec, run } of endpoints) {
    app.openAPIRegistry.registerPath(describe(spec))
    app.on(spec.method.toUpperCase(), spec.path, async (c) => {
      const call = await parse(c, spec, deps)
      const answer = (await run(call as Call<never, never>)) as object
      if (spec.method === 'get' && !spec.open) deps.requireStill(call.actor) // a machine may have taken its time to answer
      if (answer instanceof Download) return answer.response()
      return c.json(answer, (spec.status ?? 200) as ContentfulStatusCode)
    })
  }
}

async function parse(c: Context, spec: Endpoint['spec'], deps: MountDeps): Promise<Call<unknown, unknown>> {
  const login = spec.open ? null : await deps.authenticate(shownBy(c))
  if (!spec.open && !login) throw new CodedError('AUTH_REQUIRED')
  if (spec.personally && login?.program)
    throw new CodedError('FORBIDDEN', 'Only the person can do that, while signed in.')
  const address = c.req.header(deps.addressHeader) ?? ''
  return {
    actor: { ...login?.actor, address } as Actor, // open endpoints never look at it
    login: login as Login,
    id: idsOf(c, spec.path),
    query: spec.query ? spec.query.parse(c.req.query()) : undefined,
    body: spec.body ? spec.body.parse(await readBody(c, login)) : undefined,
    bytes: spec.upload ? await readUpload(c, login, spec.upload) : new Uint8Array(),
    key: needsKey(spec) ? keyOf(c) : '',
    address,
    device: deviceOf(c.req.header('user-agent')),
  }
}

/** What a request shows of who sends it. */
export const shownBy = (c: Context): Shown => ({
  ...requestOf(c),
  proof: c.req.header(proofHeaders.login),
  authorization: c.req.header('authorization'),
})

/** What a proof is of. */
export function requestOf(c: Context): Pick<Shown, 'method' | 'path'> {
  const { pathname, search } = new URL(c.req.url)
  return { method: c.req.method, path: `${pathname}${search}` }
}

/** Canonical before anything is looked up by it. */
function idsOf(c: Context, path: string): Record<string, string> {
  const ids: Record<string, string> = {}
  for (const name of pathNames(path)) {
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
    throw new CodedError('INVALID_ARGUMENT', 'Idempotency-Key: 8 to 100 letters, digits, _ and -.')
  }
  return key
}

const needsKey = (spec: Endpoint['spec']) => !spec.open && (spec.method === 'post' || spec.method === 'delete')
const pathNames = (path: string) => [...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')

const browsers = { Edge: /Edg\//, Firefox: /Firefox\//, Chrome: /Chrome\//, Safari: /Safari\// }
const systems = { Android: /Android/, iOS: /iPhone|iPad/, Windows: /Windows/, macOS: /Mac OS/, Linux: /Linux/ }

/** "Chrome on Android": enough for a person to know which of their devices it was. */
export function deviceOf(agent: string | undefined): string {
  if (!agent) return 'an unnamed client'
  const nameIn = (table: Record<string, RegExp>) => Object.keys(table).find((name) => table[name]?.test(agent))
  const system = nameIn(systems)
  const browser = nameIn(browsers) ?? 'a program'
  return system ? `${browser} on ${system}` : browser
}

const FILE = 'application/octet-stream'
const fileSchema = { type: 'string', format: 'binary' } as const

function describe(spec: Endpoint['spec']): RouteConfig {
  const names = pathNames(spec.path)
  const params = names.length > 0 ? { params: z.object(Object.fromEntries(names.map((name) => [name, Id]))) } : {}
  const headers = needsKey(spec) ? { headers: z.object({ 'Idempotency-Key': z.string().min(8).max(100) }) } : {}
  const query = spec.query ? { query: spec.query as z.ZodObject } : {}
  const body = spec.body
    ? { body: { required: true, content: { 'application/json': { schema: spec.body } } } }
    : spec.upload
      ? { body: { required: true, content: { [FILE]: { schema: fileSchema } } } }
      : {}
  return {
    method: spec.method,
    path: spec.path.replace(/:(\w+)/g, '{$1}'),
    summary: spec.summary,
    tags: [spec.tag],
    security: spec.open ? [] : [{ login: [] }, ...(spec.personally ? [] : [{ token: [] }])],
    request: { ...params, ...headers, ...query, ...body },
    responses: {
      [spec.status ?? 200]: {
        description: 'Done',
        content: spec.download ? { [FILE]: { schema: fileSchema } } : { 'application/json': { schema: spec.answer } },
      },
      ...describeErrors([...(spec.open ? [] : (['AUTH_REQUIRED', 'FORBIDDEN'] as const)), ...(spec.errors ?? [])]),
    },
  }
}

function describeErrors(codes: readonly ErrorCode[]): RouteConfig['responses'] {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes)
    byStatus.set(errorTable[code].status, [...(byStatus.get(errorTable[code].status) ?? []), code])
  return Object.fromEntries([...byStatus].map(([status, list]) => [status, { description: list.join(', ') }]))
}

/** Generates the OpenAPI document from the table of routes. OpenAPI 3.1 accepts the JSON Schema that zod writes. */
import {
  type ErrorCode,
  ErrorReply,
  errorTable,
  fillPath,
  Id,
  type LoginRouteSpec,
  loginRoutes,
  needsKey,
  proofHeaders,
  type RouteSpec,
  type RouteTable,
  routeIds,
} from '@roundhouse/backend-types'
import { type Json, SchemaComponents } from './openapi-schemas'

export interface DocumentInput {
  routes: RouteTable
  /** Whether the routes of an identity provider are there. */
  hasProvider: boolean
  version: string
}

const tags = {
  hub: 'The hub, its settings, and who is signed in.',
  audit: 'What was done, and by whom.',
  sessions: 'Sessions with their prompts, images and artifacts.',
  runs: 'A program that is started with one prompt, and what came of it.',
  permissions: 'Answers to what programs ask.',
  agents: 'Machines, and how they come in.',
  people: 'People and invitations.',
  account: 'What people do with their own account. No token reaches these.',
  login: 'Sign-in and sign-out. Each request carries a proof by the key of the login.',
}

export function openApiDocument({ routes, hasProvider, version }: DocumentInput): Json {
  const schemas = new SchemaComponents()
  const paths: Record<string, Json> = {}
  for (const [name, route] of Object.entries(routes)) {
    const path = `/api/v1${fillPath(route.path, (id) => `{${id}}`)}`
    paths[path] = { ...paths[path], [route.method]: operationOf(name, route, schemas) }
  }
  for (const [path, route] of Object.entries<LoginRouteSpec>(loginRoutes)) {
    if (hasProvider || !route.needsProvider) paths[`/api/auth${path}`] = { post: loginOperation(path, route, schemas) }
  }
  if (hasProvider) paths['/api/auth/callback/oidc'] = { get: providerCallback(schemas) }
  const complete = schemas.complete(paths)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Roundhouse',
      version,
      description: 'A self-hosted hub for coding agents. Errors carry a code; branch on it, never on the text.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This hub' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: complete.paths,
    components: { schemas: complete.schemas, securitySchemes },
  }
}

const securitySchemes = {
  login: {
    type: 'apiKey',
    in: 'header',
    name: proofHeaders.login,
    description: 'A signature by the key of the login. A sign-in sends one by a new key as well.',
  },
  token: { type: 'http', scheme: 'bearer', description: 'An API token of a person.' },
}

const json = (schema: Json): Json => ({ 'application/json': { schema } })
const lines = (schema: Json): Json => ({ 'application/x-ndjson': { schema } })
const file: Json = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }

function operationOf(name: string, route: RouteSpec, schemas: SchemaComponents): Json {
  const open = route.access === 'open'
  const parameters = parametersOf(route, schemas)
  const content = route.body ? json(schemas.ref(route.body, 'input')) : route.upload ? file : null
  const codes: ErrorCode[] = ['INVALID_ARGUMENT', ...(open ? [] : (['AUTH_REQUIRED', 'FORBIDDEN'] as const))]
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.tag],
    security: open ? [] : [{ login: [] }, ...(route.access === 'person' ? [] : [{ token: [] }])],
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required: true, content } }),
    responses: {
      [route.status ?? 200]: {
        description: 'Done',
        content: contentOf(route, schemas),
      },
      ...(route.defers && route.answer
        ? { 202: { description: 'Under way', content: json(schemas.ref(route.answer, 'output')) } }
        : {}),
      ...errorsOf([...codes, ...(route.errors ?? [])], schemas),
    },
  }
}

/** A stream of lines is described by one of them. */
function contentOf({ answer, lines: line }: RouteSpec, schemas: SchemaComponents): Json {
  if (!answer && !line) return file
  return {
    ...(answer ? json(schemas.ref(answer, 'output')) : {}),
    ...(line ? lines(schemas.ref(line, 'output')) : {}),
  }
}

function parametersOf(route: RouteSpec, schemas: SchemaComponents): Json[] {
  const ids = routeIds(route.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: schemas.ref(Id, 'input'),
  }))
  const query = route.query ? schemas.fields(route.query) : { properties: {}, required: [] }
  const asked = Object.entries(query.properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: query.required.includes(name),
    schema,
  }))
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description: 'The same key with the same body is answered as before, and nothing is done again.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{8,100}$' },
  }
  return [...ids, ...asked, ...(needsKey(route) ? [key] : [])]
}

function errorsOf(codes: readonly ErrorCode[], schemas: SchemaComponents): Json {
  const byStatus = new Map<number, Set<ErrorCode>>()
  for (const code of codes) {
    const { status } = errorTable[code]
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
  }
  const entries = [...byStatus].map(([status, list]) => [
    status,
    { description: [...list].join(', '), content: json(schemas.ref(ErrorReply, 'output')) },
  ])
  return Object.fromEntries(entries)
}

function loginOperation(path: string, { summary, who, body, answer }: LoginRouteSpec, schemas: SchemaComponents): Json {
  const refusals = ['INVALID_ARGUMENT', 'AUTH_REQUIRED', 'AUTH_FAILED', 'KEY_REQUIRED', 'PROOF_STALE'] as const
  return {
    operationId: path.slice(1).replace(/[^a-z]+(.)/g, (_, letter: string) => letter.toUpperCase()),
    summary,
    tags: ['login'],
    security: who === 'person' ? [{ login: [] }] : [],
    requestBody: { required: true, content: json(schemas.ref(body, 'input')) },
    responses: {
      200: { description: 'Done', content: json(schemas.ref(answer, 'output')) },
      ...errorsOf([...refusals, 'RATE_LIMITED'], schemas),
    },
  }
}

const providerCallback = (schemas: SchemaComponents): Json => ({
  operationId: 'callbackOidc',
  summary: 'The way back from the identity provider',
  tags: ['login'],
  security: [],
  responses: { 302: { description: 'To a page of this hub' }, ...errorsOf(['RATE_LIMITED'], schemas) },
})

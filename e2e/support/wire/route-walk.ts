/** Every route that the hub serves, read from its own document, so that a new route cannot be forgotten. */
import type { RawWeb } from './raw-web'

export interface Route {
  method: string
  path: string
  read: boolean
  /** The type of its body: JSON or a file. */
  type: string
}

/** WEB-1: the routes that answer without a credential. */
export const openRoutes: ReadonlySet<string> = new Set([
  '/api/v1/health',
  '/api/v1/ready',
  '/api/v1/setup',
  '/api/v1/agent/challenge',
  '/api/v1/agent/enroll',
  '/api/v1/agent/rotate-key',
  '/api/v1/invitations/accept',
  '/api/auth/sign-in/email',
  '/api/auth/sign-out',
  '/api/auth/sign-in/social',
  '/api/auth/callback/oidc',
  '/api/auth/sign-in/back',
  '/api/auth/passkey/options',
  '/api/auth/passkey/sign-in',
])

/** Satisfies every route's schema, so that each gets as far as checking the credential. */
const acceptable = {
  agentId: 'an-id',
  settings: { backend: 'scripted', workDir: '/code' },
  promptId: 'an-id',
  turnId: 'an-id',
  taskId: 'an-id',
  text: 'x',
  name: 'x',
  title: 'x',
  op: 'release',
  on: true,
  budgetUsd: 1,
  method: 'setModel',
  args: ['x'],
  decision: 'allow',
  digest: 'x',
  email: 'x@example.com',
  role: 'viewer',
  scopes: ['read'],
  ttlDays: 1,
  requireApproval: false,
  code: 'x'.repeat(20),
  password: 'x'.repeat(20),
  currentPassword: 'x'.repeat(20),
  newPassword: 'x'.repeat(20),
  response: { id: 'x' },
  messages: ['x'],
  url: 'https://example.com/hook',
  topics: ['system.**'],
  token: 'x',
}

/** What a route understands in place of the fields that all others share. */
export function ownBody(path: string): object | null {
  if (/\/runs$/.test(path)) return { agentId: 'an-id', backend: 'scripted', workDir: '/code', prompt: 'x' }
  return /\/asks\/[^/]+\/answer$/.test(path) ? { decision: 'approve' } : null
}

export const keyed = { 'idempotency-key': 'a-key-of-a-stranger' }

/** Ids in paths are `an-id`. */
export async function routesOf(web: RawWeb, login: string): Promise<Route[]> {
  const document = JSON.parse((await web.ask('/api/v1/openapi.json', { headers: { login } })).body)
  return Object.entries(document.paths as Record<string, Record<string, TakesBody>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, spec]) => {
      const method = name.toUpperCase()
      return { method, path: path.replace(/\{\w+\}/g, 'an-id'), read: method === 'GET', type: bodyTypeOf(spec) }
    }),
  )
}

export interface TakesBody {
  requestBody?: { content: Record<string, unknown> }
}

export const bodyTypeOf = ({ requestBody }: TakesBody): string =>
  Object.keys(requestBody?.content ?? {})[0] ?? 'application/json'

/** Calls each route with these headers and returns its error code. */
export async function walkRoutes(
  web: RawWeb,
  routes: readonly Route[],
  headers: Record<string, string>,
  judge: (route: Route, code: string | undefined) => void,
): Promise<void> {
  for (const route of routes) {
    const { method, path, read, type } = route
    const body = read ? {} : { body: JSON.stringify(ownBody(path) ?? acceptable) }
    const typed: Record<string, string> = read ? {} : { 'content-type': type }
    const { code } = await web.ask(path, { method, ...body, headers: { ...typed, ...keyed, ...headers } })
    judge(route, code)
  }
}

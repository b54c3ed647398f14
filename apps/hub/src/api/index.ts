/** REST under `/api/v1` and the login routes under `/api/auth`, as one Hono app that the server mounts ahead of Next. */
import { CodedError, fillPath, proofHeaders, type RouteSpec, routes, toCodedError } from '@roundhouse/backend-types'
import { type Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Authenticate, Recognise } from '../auth/authenticate'
import type { Auth } from '../auth/better-auth'
import type { Proofs } from '../auth/proofs'
import type { Setup } from '../auth/setup'
import type { RestServices } from '../core'
import { openApiDocument } from './document/openapi'
import { accountHandlers } from './handlers/account-handlers'
import { agentHandlers } from './handlers/agent-handlers'
import { artifactHandlers } from './handlers/artifact-handlers'
import { auditHandlers } from './handlers/audit-handlers'
import { busHandlers } from './handlers/bus-handlers'
import { channelHandlers } from './handlers/channel-handlers'
import { derivedHandlers } from './handlers/derived-handlers'
import { factorHandlers } from './handlers/factor-handlers'
import type { Handlers } from './handlers/handlers'
import { hubHandlers } from './handlers/hub-handlers'
import { imageHandlers } from './handlers/image-handlers'
import { peopleHandlers } from './handlers/people-handlers'
import { runHandlers } from './handlers/run-handlers'
import { sessionCommandHandlers } from './handlers/session-command-handlers'
import { sessionHandlers } from './handlers/session-handlers'
import { treeHandlers } from './handlers/tree-handlers'
import { webhookHandlers } from './handlers/webhook-handlers'
import { AttemptLimit } from './limits/attempt-limit'
import { createWrongLogins, type WrongLogins } from './limits/wrong-logins'
import { mountLogin, type OidcDeps } from './login'
import { mount } from './mount-routes'
import { receiveBodies } from './request/read-body'
import { shownBy } from './request/sender'

export interface ApiDeps {
  core: RestServices
  auth: Auth
  authenticate: Authenticate
  recognise: Recognise
  proofs: Pick<Proofs, 'judgeNewKey' | 'nonce'>
  setup: Setup
  version: string
  /** The header that the server fills with the client's address. */
  addressHeader: string
  /** Absent if no identity provider is configured. */
  oidc?: OidcDeps['oidc']
  onInternalError: (error: unknown, path: string) => void
}

/** Errors that the hub's operator must know about. */
const told: ReadonlySet<string> = new Set(['INTERNAL', 'OUT_OF_RESOURCES', 'STORAGE_DAMAGED'])
const SETUP_ATTEMPTS_PER_MINUTE = 10
const INVITATION_ATTEMPTS_PER_MINUTE = 10

export function createApi(deps: ApiDeps): Hono {
  const app = new Hono()
  app.use('/api/*', async (c, next) => {
    await next()
    c.header('cache-control', 'no-store')
    if (wantsNonce(c)) c.header(proofHeaders.nonce, deps.proofs.nonce())
  })
  app.use('/api/*', receiveBodies(deps.addressHeader))
  const codes = createWrongLogins()
  mountLogin(app, deps, codes)
  const v1 = new Hono()
  mount(v1, allHandlers(deps, codes), { ...deps, requireStill: deps.core.rights.requireStill })
  app.route('/api/v1', v1)
  let document: object | undefined
  app.get('/api/v1/openapi.json', async (c) => {
    if (!(await deps.authenticate(shownBy(c)))) throw new CodedError('AUTH_REQUIRED')
    document ??= openApiDocument({ routes, hasProvider: deps.oidc !== undefined, version: deps.version })
    return c.json(document)
  })
  app.notFound((c) => respond(c, refusalOf(c)))
  app.onError((thrown, c) => {
    const error = toCodedError(thrown)
    if (told.has(error.code)) deps.onInternalError(thrown, c.req.path)
    return respond(c, error)
  })
  return app
}

function allHandlers(deps: ApiDeps, codes: WrongLogins): Handlers {
  const setupAttempts = new AttemptLimit(SETUP_ATTEMPTS_PER_MINUTE, 60_000)
  const invitationAttempts = new AttemptLimit(INVITATION_ATTEMPTS_PER_MINUTE, 60_000)
  return {
    ...hubHandlers({ ...deps, setupAttempts }),
    ...agentHandlers(deps.core),
    ...sessionHandlers(deps.core),
    ...sessionCommandHandlers(deps.core),
    ...treeHandlers(deps.core),
    ...runHandlers(deps.core),
    ...imageHandlers(deps.core),
    ...artifactHandlers(deps.core),
    ...peopleHandlers(deps.core, invitationAttempts),
    ...accountHandlers(deps, codes),
    ...factorHandlers(deps.core, codes),
    ...auditHandlers(deps.core),
    ...busHandlers(deps.core),
    ...webhookHandlers(deps.core),
    ...channelHandlers(deps.core, codes),
    ...derivedHandlers(deps.core),
  }
}

/** A caller with a key signs the next request again, and a refused caller may have had a proof that was too old. */
const wantsNonce = (c: Context): boolean =>
  c.res.status === 401 || [proofHeaders.login, proofHeaders.newKey].some((name) => c.req.header(name) !== undefined)

/** A known path with another method is 405, everything else 404. */
function refusalOf(c: Context): CodedError {
  const asked = c.req.path.replace(/^\/api\/v1/, '')
  const known = Object.values<RouteSpec>(routes).some(({ path }) =>
    new RegExp(`^${fillPath(path, () => '[^/]+')}$`).test(asked),
  )
  return new CodedError(known ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND')
}

function respond(c: Context, error: CodedError): Response {
  c.header('cache-control', 'no-store')
  if (error.code === 'RATE_LIMITED') c.header('retry-after', String(error.details?.retryAfterSeconds ?? 10))
  return c.json({ error: error.toBody() }, error.status as ContentfulStatusCode)
}

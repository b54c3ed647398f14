/** REST under `/api/v1` and the login routes under `/api/auth`, as one Hono app that the server mounts ahead of Next. */
import { OpenAPIHono } from '@hono/zod-openapi'
import { CodedError, proofHeaders, toCodedError } from '@roundhouse/backend-types'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Authenticate, Recognise } from '../auth/authenticate'
import type { Auth } from '../auth/better-auth'
import type { Proofs } from '../auth/proofs'
import type { Setup } from '../auth/setup'
import type { Core } from '../core'
import { accountEndpoints } from './account-endpoints'
import { agentEndpoints } from './agent-endpoints'
import { artifactEndpoints } from './artifact-endpoints'
import { AttemptLimit } from './attempt-limit'
import { auditEndpoints } from './audit-endpoints'
import { type Endpoint, mount, shownBy } from './endpoint'
import { factorEndpoints } from './factor-endpoints'
import { hubEndpoints } from './hub-endpoints'
import { imageEndpoints } from './image-endpoints'
import { mountLogin } from './login-routes'
import type { OidcDeps } from './oidc-routes'
import { peopleEndpoints } from './people-endpoints'
import { receiveBodies } from './read-body'
import { sessionEndpoints } from './session-endpoints'
import { createWrongLogins, type WrongLogins } from './wrong-logins'

export interface ApiDeps {
  core: Core
  auth: Auth
  authenticate: Authenticate
  recognise: Recognise
  proofs: Pick<Proofs, 'judgeNewKey' | 'nonce'>
  setup: Setup
  version: string
  /** The header that the server fills with the client's address. */
  addressHeader: string
  /** Absent: nobody signs in by an identity provider. */
  oidc?: OidcDeps['oidc']
  onInternalError: (error: unknown, path: string) => void
}

/** What whoever looks after the hub must hear of. */
const told: ReadonlySet<string> = new Set(['INTERNAL', 'OUT_OF_RESOURCES', 'STORAGE_DAMAGED'])
const SETUP_ATTEMPTS_PER_MINUTE = 10
const INVITATION_ATTEMPTS_PER_MINUTE = 10

export function createApi(deps: ApiDeps): OpenAPIHono {
  const app = new OpenAPIHono()
  app.use('/api/*', async (c, next) => {
    await next()
    c.header('cache-control', 'no-store')
    if (wantsNonce(c)) c.header(proofHeaders.nonce, deps.proofs.nonce())
  })
  app.use('/api/*', receiveBodies(deps.addressHeader))
  const codes = createWrongLogins()
  mountLogin(app, deps, codes)
  const v1 = new OpenAPIHono()
  const endpoints = allEndpoints(deps, codes)
  mount(v1, endpoints, { ...deps, requireStill: deps.core.rights.requireStill })
  app.route('/api/v1', v1)
  app.openAPIRegistry.registerComponent('securitySchemes', 'login', {
    type: 'apiKey',
    in: 'header',
    name: proofHeaders.login,
    description: 'A signature by the key of the login. A sign-in sends one by a new key as well.',
  })
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' })
  app.get('/api/v1/openapi.json', async (c) => {
    if (!(await deps.authenticate(shownBy(c)))) throw new CodedError('AUTH_REQUIRED')
    return c.json(app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: 'Roundhouse', version: deps.version } }))
  })
  app.notFound((c) => respond(c, refusalOf(c, endpoints)))
  app.onError((thrown, c) => {
    const error = toCodedError(thrown)
    if (told.has(error.code)) deps.onInternalError(thrown, c.req.path)
    return respond(c, error)
  })
  return app
}

function allEndpoints(deps: ApiDeps, codes: WrongLogins): Endpoint[] {
  const setupAttempts = new AttemptLimit(SETUP_ATTEMPTS_PER_MINUTE, 60_000)
  const invitationAttempts = new AttemptLimit(INVITATION_ATTEMPTS_PER_MINUTE, 60_000)
  return [
    ...hubEndpoints({ ...deps, setupAttempts }),
    ...agentEndpoints(deps.core),
    ...sessionEndpoints(deps.core),
    ...imageEndpoints(deps.core),
    ...artifactEndpoints(deps.core),
    ...peopleEndpoints(deps.core, invitationAttempts),
    ...accountEndpoints(deps, codes),
    ...factorEndpoints(deps.core, codes),
    ...auditEndpoints(deps.core),
  ]
}

/** Whoever proves a key does so again, and whoever was refused may have a proof that is too old. */
const wantsNonce = (c: Context): boolean =>
  c.res.status === 401 || [proofHeaders.login, proofHeaders.newKey].some((name) => c.req.header(name) !== undefined)

/** A known path with another method is 405, everything else 404. */
function refusalOf(c: Context, endpoints: readonly Endpoint[]): CodedError {
  const asked = c.req.path.replace(/^\/api\/v1/, '')
  const known = endpoints.some(({ spec }) => new RegExp(`^${spec.path.replace(/:\w+/g, '[^/]+')}$`).test(asked))
  return new CodedError(known ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND')
}

function respond(c: Context, error: CodedError): Response {
  c.header('cache-control', 'no-store')
  if (error.code === 'RATE_LIMITED') c.header('retry-after', String(error.details?.retryAfterSeconds ?? 10))
  return c.json({ error: error.toBody() }, error.status as ContentfulStatusCode)
}

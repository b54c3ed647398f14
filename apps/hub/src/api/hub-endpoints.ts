import * as T from '@roundhouse/backend-types'
import { CodedError, toCodedError } from '@roundhouse/backend-types'
import { z } from 'zod'
import type { Setup } from '../auth/setup'
import { actionsFor, type Core, requireOwnName } from '../core'
import type { AttemptLimit } from './attempt-limit'
import { type Endpoint, endpoint } from './endpoint'

const tag = 'hub'

export interface HubEndpointDeps {
  core: Core
  setup: Setup
  version: string
  setupAttempts: AttemptLimit
  oidc?: { label: string } | undefined
}

const storageWords = {
  full: 'The hub’s disk is full. Nothing was lost.',
  failing: 'The hub’s disk is failing. Nothing was lost.',
  locked: 'Another program has locked the hub’s database. Nothing was lost.',
} as const

export function hubEndpoints({ core, setup, version, setupAttempts, oidc }: HubEndpointDeps): Endpoint[] {
  return [
    endpoint(
      { method: 'get', path: '/health', summary: 'Whether the hub is up', tag, answer: T.Health, open: true },
      async () => ({
        ok: true as const,
        version,
        setupRequired: await setup.required(),
        identityProvider: oidc?.label ?? null,
      }),
    ),
    endpoint(
      {
        method: 'get',
        path: '/ready',
        summary: 'Whether the hub takes what is sent to it',
        tag,
        answer: T.Ready,
        open: true,
        errors: ['STORAGE_UNAVAILABLE'],
      },
      () => {
        const { state, since } = core.storage()
        if (state !== 'ok') throw new CodedError('STORAGE_UNAVAILABLE', storageWords[state], { state, since })
        return { ready: true as const }
      },
    ),
    endpoint(
      {
        method: 'post',
        path: '/setup',
        summary: 'Make the owner with the one-time setup code',
        tag,
        body: T.SetupRequest,
        answer: z.object({ ok: z.literal(true) }),
        status: 201,
        open: true,
        errors: ['SETUP_INVALID', 'NAME_NOT_ALLOWED', 'RATE_LIMITED'],
      },
      async ({ body, address, device }) => {
        setupAttempts.require(address)
        const owner = { action: 'hub.setup', email: body.email, address, device } as const
        try {
          await setup.complete({ ...body, name: requireOwnName(body.name, []) })
        } catch (error) {
          await core.logins.refused(owner, toCodedError(error).code)
          throw error
        }
        await core.logins.setUp(owner)
        return { ok: true as const }
      },
    ),
    endpoint(
      { method: 'get', path: '/settings', summary: 'How this hub takes machines in', tag, answer: T.HubSettings },
      ({ actor }) => core.settings.get(actor),
    ),
    endpoint(
      {
        method: 'patch',
        path: '/settings',
        summary: 'Change how this hub takes machines in',
        tag,
        body: T.HubSettingsChange,
        answer: T.HubSettings,
      },
      ({ actor, body }) => core.settings.change(actor, body),
    ),
    endpoint({ method: 'get', path: '/me', summary: 'Who is signed in', tag, answer: T.Me }, ({ login, actor }) => ({
      userId: actor.userId,
      name: actor.name,
      role: actor.role,
      may: actionsFor(actor),
      email: login.email,
      hubEpoch: core.hub.hubEpoch(),
    })),
  ]
}

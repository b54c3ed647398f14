import { CodedError, toCodedError } from '@roundhouse/backend-types'
import type { Setup } from '../../auth/setup'
import { actionsFor, type RestServices, requireOwnName } from '../../core'
import type { AttemptLimit } from '../limits/attempt-limit'
import type { Handlers } from './handlers'

export interface HubHandlerDeps {
  core: RestServices
  setup: Setup
  version: string
  setupAttempts: AttemptLimit
  oidc?: { label: string } | undefined
}

const storageWords = {
  full: 'The hub’s disk is full. Nothing was lost.',
  failing: 'The hub’s disk is failing. Nothing was lost.',
  locked: 'Another program has locked the hub’s database. Nothing was lost.',
  moved: 'The hub’s database was moved or removed while the hub ran.',
} as const

export function hubHandlers({
  core,
  setup,
  version,
  setupAttempts,
  oidc,
}: HubHandlerDeps): Handlers<'getHealth' | 'getReady' | 'setUp' | 'getSettings' | 'changeSettings' | 'getMe'> {
  return {
    getHealth: async () => ({
      ok: true as const,
      version,
      setupRequired: await setup.required(),
      identityProvider: oidc?.label ?? null,
    }),
    getReady: () => {
      const { state, since } = core.storage()
      if (state !== 'ok') throw new CodedError('STORAGE_UNAVAILABLE', storageWords[state], { state, since })
      return { ready: true as const }
    },
    setUp: async ({ body, address, device }) => {
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
    getSettings: ({ actor }) => core.settings.get(actor),
    changeSettings: ({ actor, body }) => core.settings.change(actor, body),
    getMe: ({ login, actor }) => ({
      userId: actor.userId,
      name: actor.name,
      role: actor.role,
      may: actionsFor(actor),
      email: login.email,
      hubEpoch: core.hub.hubEpoch(),
    }),
  }
}

/** What the people who run the hub may set, and what anybody may know of it who sees machines. */
import type { HubSettings, HubSettingsChange } from '@roundhouse/backend-types'
import { fingerprintOf } from '@roundhouse/keys'
import { type Actor, requireCan } from './access'
import { entryOf } from './audit'
import type { Context } from './context'

export interface SettingsApi {
  get(actor: Actor): Promise<HubSettings>
  change(actor: Actor, change: HubSettingsChange): Promise<HubSettings>
}

export function createHubSettings(context: Context): SettingsApi {
  const { reads, hub, writeAs, now } = context
  const view = (): HubSettings => ({
    requireApproval: reads.requiresApproval(),
    hubKeyFingerprint: fingerprintOf(hub.publicKey),
  })
  return {
    get: async (actor) => {
      requireCan(actor, 'agent.read')
      return view()
    },
    change: async (actor, { requireApproval }) => {
      requireCan(actor, 'hub.manage')
      await writeAs(actor, async (tx) => {
        await tx.setRequiresApproval(requireApproval)
        await tx.audit(entryOf(actor, 'hub.change', hub.hubId, { requireApproval }), now())
      })
      return view()
    },
  }
}

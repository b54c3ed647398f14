/** What the people who run the hub may set, and what anybody may know of it who sees machines. */
import type { HubSettings } from '@roundhouse/backend-types'
import { fingerprintOf } from '@roundhouse/keys'
import { requireCan } from './access'
import { entryOf } from './audit'
import type { Context } from './context'
import type { SettingsApi } from './facade'

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

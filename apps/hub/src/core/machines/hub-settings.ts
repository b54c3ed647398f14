/** The settings that owners and admins may change, and what everybody who sees machines may know of them. */

import type { HubSettings, HubSettingsChange } from '@roundhouse/backend-types'
import { fingerprintOf } from '@roundhouse/keys'
import { type Actor, requireCan } from '../access/access'
import { entryOf } from '../audit/audit'
import type { OwnHub } from '../common/hub-identity'
import type { Reads } from '../ports/stores'
import type { WriteAs } from '../writes/write-as'

interface HubSettingsDeps {
  hub: OwnHub
  now: () => number
  reads: Pick<Reads, 'hub'>
  writeAs: WriteAs
}

export interface SettingsApi {
  get(actor: Actor): Promise<HubSettings>
  change(actor: Actor, change: HubSettingsChange): Promise<HubSettings>
}

export function createHubSettings(deps: HubSettingsDeps): SettingsApi {
  const { reads, hub, writeAs, now } = deps
  const view = async (): Promise<HubSettings> => ({
    requireApproval: await reads.hub.requiresApproval(),
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
        await tx.hub.setRequiresApproval(requireApproval)
        await tx.audit.append(entryOf(actor, 'hub.change', hub.hubId, { requireApproval }), now())
      })
      return view()
    },
  }
}

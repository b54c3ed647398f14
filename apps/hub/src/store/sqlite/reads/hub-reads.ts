/** What the hub's own row says, on the reading connection. */
import type { HubStore } from '../../../core/ports/hub-store'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'

export function createHubReads(db: Connection): AtOnce<HubStore> {
  const version = db.prepare<[], { revocationVersion: number }>('SELECT revocationVersion FROM HubState WHERE id = 1')
  const rights = db.prepare<[], { rightsVersion: number }>('SELECT rightsVersion FROM HubState WHERE id = 1')
  const approval = db.prepare<[], { requireApproval: number }>('SELECT requireApproval FROM HubState WHERE id = 1')
  return {
    revocationVersion: () => version.get()?.revocationVersion ?? 0,
    rightsVersion: () => rights.get()?.rightsVersion ?? 0,
    requiresApproval: () => approval.get()?.requireApproval === 1,
  }
}

/** Whether a session's program answers a query, by the machine's last report of it (CMD-11). An older agent reports none. */
import { CodedError, type QueryMethod } from '@roundhouse/backend-types'
import type { SessionRow } from '../ports/session-store'
import type { Reads } from '../ports/stores'

type Place = Pick<SessionRow, 'agentId' | 'backend'>

export async function requireQuery(
  { reads }: { reads: Pick<Reads, 'machines'> },
  { agentId, backend }: Place,
  method: QueryMethod,
): Promise<void> {
  const told = (await reads.machines.findWithManifest(agentId))?.manifest
  const backends: readonly BackendTold[] = told?.backends ?? []
  const queries = backends.find(({ kind }) => kind === backend)?.capabilities?.queries
  if (!queries?.includes(method)) throw new CodedError('UNSUPPORTED', undefined, { method })
}

interface BackendTold {
  kind: string
  capabilities?: { queries?: string[] }
}

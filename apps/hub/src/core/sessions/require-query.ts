/** Whether a session's program answers a query, by the machine's last report of it (CMD-11). An older agent reports none. */
import { CodedError, type QueryMethod, unsupportedQuery } from '@roundhouse/backend-types'
import type { SessionRow } from '../ports/session-store'
import type { Reads } from '../ports/stores'
import { reportedProgram } from './require-supported'

type Place = Pick<SessionRow, 'agentId' | 'backend'>

export async function requireQuery(
  { reads }: { reads: Pick<Reads, 'machines'> },
  { agentId, backend }: Place,
  method: QueryMethod,
): Promise<void> {
  const program = reportedProgram((await reads.machines.findWithManifest(agentId))?.manifest, backend)
  if (!program?.capabilities) throw new CodedError('UNSUPPORTED', undefined, { capability: 'queries', method })
  const refusal = unsupportedQuery(program, method)
  if (refusal) throw refusal
}

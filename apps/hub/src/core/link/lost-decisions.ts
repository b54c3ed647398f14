/**
 * Recovers lost decisions. A request that a gap had closed is open again, and the command that carried its decision ended
 * with an unknown outcome (REB-1). The hub sends the agent a cancel, which is final: a command that the agent never received
 * is refused from then on. Only then does the hub empty the register, so that two decisions can never be applied, and a
 * person decides again (PERM-1).
 */
import { decisionStands } from '@roundhouse/delivery'
import { entryOf, hubItself } from '../audit/audit'
import type { CommandPump } from '../commands/command-pump'
import type { Log } from '../common/log'
import type { Changes } from '../doorbells/changes'
import { fence } from '../ingest/ingest'
import type { RequestRow } from '../ports/request-store'
import { isTold } from '../ports/storage-port'
import type { Reads } from '../ports/stores'
import type { StreamWriter } from '../ports/stream/stream-writer'
import { deciding } from '../stream/working-set'
import type { LinkFacts } from './link-facts'

export interface LostDecisionsDeps {
  changes: Changes
  ingest: StreamWriter
  log: Log
  now: () => number
  pump: CommandPump
  reads: Pick<Reads, 'requests'>
}

/**
 * `listed`: the newest account of the host lists them as open. Otherwise, stored events do. The caller does not wait: the work
 * that handles an account must not wait for a reply of the same agent.
 */
export function recallLost(
  deps: LostDecisionsDeps,
  facts: LinkFacts,
  requestIds: readonly string[],
  listed: boolean,
): void {
  if (requestIds.length === 0) return
  const failed = (facts: Record<string, unknown>) => (error: unknown) => {
    if (!isTold(error)) deps.log.error({ ...facts, error: String(error) }, 'could not recover a lost decision')
  }
  const recallAll = async () => {
    for (const row of await deps.reads.requests.findMany(requestIds)) {
      if (standingOf(row, listed) === 'stands') continue
      void recall(deps, facts, row, listed).catch(failed({ requestId: row.requestId }))
    }
  }
  void recallAll().catch(failed({}))
}

async function recall(deps: LostDecisionsDeps, facts: LinkFacts, row: RequestRow, listed: boolean): Promise<void> {
  const isBack =
    standingOf(row, listed) === 'call_back' && (await deps.pump.callBack(facts.agentId, row.commandId ?? ''))
  if (isBack) return empty(deps, facts, row)
  const after = await deps.reads.requests.find(row.requestId)
  if (after && standingOf(after, listed) === 'void') await empty(deps, facts, after)
}

function standingOf({ decision, outcome, commandState }: RequestRow, listed: boolean) {
  if (decision === null || outcome !== 'open' || !commandState) return 'stands'
  return decisionStands(commandState, listed)
}

/** One conditional update: not if it was closed, or is decided again, by now. */
async function empty(deps: LostDecisionsDeps, facts: LinkFacts, row: RequestRow): Promise<void> {
  const { requestId, sessionId, commandId, decision, deciderName } = row
  const detail = { decision: decision ?? '', by: deciderName ?? '', commandId: commandId ?? '' }
  const decide = deciding((set) => {
    if (fence(set, facts) !== null || !set.requests.emptyDecision(requestId, commandId ?? '')) return false
    set.hub.appendAudit(entryOf(hubItself, 'permission.decision_lost', requestId, detail), deps.now())
    return true
  })
  const emptied = await deps.ingest.change({ fences: [facts.agentId], requests: [requestId] }, decide)
  if (emptied) deps.changes.session(sessionId)
}

/**
 * The hub's word on one session of an agent that has just connected (LINK-2).
 *
 * `resume{from}` names the first number that the hub wants. The agent starts no later than there, and from its own
 * `acked` when that is lower, so that a log which was put back to an older state is found by its hashes (REB-1).
 * `rebase{to}`: the agent has another log than the one that is stored. The session is `stopped` from here on.
 * `hub_restored` is no answer: the hub was put back without anybody telling it, changes its epoch and asks again (REB-2).
 */
import type { SessionReport, Verdict } from '@roundhouse/backend-types'
import type { StreamState } from './accept-batch'

export type KnownSession =
  | { state: 'known'; stream: StreamState }
  | { state: 'unknown' }
  | { state: 'deleted' }
  | { state: 'not_yours' }

export function judgeReport(
  report: SessionReport,
  known: KnownSession,
  hubEpoch: string,
): Verdict | { kind: 'hub_restored' } {
  const { sessionId } = report
  if (known.state === 'deleted' || known.state === 'not_yours') return { sessionId, verdict: known.state }
  const stream = known.state === 'known' ? known.stream : null
  const committed = stream?.committed ?? 0
  if (report.ackedEpoch === hubEpoch && report.acked > committed) return { kind: 'hub_restored' }
  if (!stream) return { sessionId, verdict: 'unknown' }
  const otherLog = stream.logId !== null && stream.logId !== report.logId
  if (otherLog) return { sessionId, verdict: 'rebase', to: committed }
  return { sessionId, verdict: 'resume', from: committed + 1 }
}

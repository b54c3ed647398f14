/** LINK-2: the hub's verdict on each session that an agent reports, and its effects in the hub. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { CodedError, type SessionReport, type Verdict } from '@roundhouse/backend-types'
import { judgeReport, type KnownSession } from '@roundhouse/delivery'
import { asMachine, refusalOf } from '../audit/audit'
import type { RowLimit } from '../common/row-limit'
import type { Changes } from '../doorbells/changes'
import type { KeptSession } from '../ports/session-store'
import { unlessTold } from '../ports/storage-port'
import type { Reads } from '../ports/stores'
import type { SessionMemory } from '../views/session-memory'
import { type HubRestoredDeps, hubRestored } from './hub-restored'
import { type LinkCurrentDeps, requireCurrent, writeOfMachine } from './link-current'
import type { LinkFacts } from './link-facts'
import { type MisdeedsDeps, tellMisdeed } from './misdeeds'

export interface LinkReportsDeps extends HubRestoredDeps, LinkCurrentDeps, MisdeedsDeps {
  reads: Pick<Reads, 'machines' | 'sessions'>
  changes: Changes
  memory: SessionMemory
  /** Limits the rows about logs that were lost or exchanged. */
  otherLogs: RowLimit
  /** True if this damage was not reported yet. */
  tellsDamage: (error: unknown) => boolean
}

/** The hub serves other work between two batches of a page. */
const REPORTS_AT_ONCE = 32

/** Takes one page of reports. `last`: no other follows. */
export async function takeReports(
  deps: LinkReportsDeps,
  facts: LinkFacts,
  { sessions, last }: { sessions: readonly SessionReport[]; last: boolean },
): Promise<Verdict[]> {
  await requireCurrent(deps, facts)
  const verdicts = await judgeReports(deps, facts, sessions)
  await requireCurrent(deps, facts)
  for (const { sessionId, verdict } of verdicts) {
    if (verdict === 'not_yours') tellMisdeed(deps, facts, 'SESSION_NOT_YOURS', { sessionId })
    if (verdict !== 'resume' && verdict !== 'rebase') continue // not this agent's, or not there
    const first = !facts.served.wasJudged(sessionId)
    if (deps.memory.reported(sessionId, facts.connEpoch, first)) deps.changes.session(sessionId)
  }
  facts.served.judged(verdicts, last)
  return verdicts
}

async function judgeReports(
  deps: LinkReportsDeps,
  facts: LinkFacts,
  reports: readonly SessionReport[],
): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (let at = 0; at < reports.length; at += REPORTS_AT_ONCE) {
    if (at > 0) await nextTurn()
    const lot = reports.slice(at, at + REPORTS_AT_ONCE)
    const kept = await deps.reads.sessions.kept(lot.map(({ sessionId }) => sessionId))
    for (const report of lot) {
      const stored = known(deps, facts, report.sessionId, kept.get(report.sessionId))
      if (!stored) continue // without a verdict it is not served on this connection; the others are
      const verdict = judgeReport(report, stored, deps.hub.hubEpoch)
      if ('kind' in verdict) return hubRestored(deps, facts)
      verdicts.push(verdict)
      // A full disk costs this row of the audit log, and not the machine's connection.
      if (verdict.verdict === 'rebase') await noticeOtherLog(deps, facts, report, stored).catch(unlessTold)
    }
  }
  return verdicts
}

/** A log was lost, restored or exchanged, and the machine's owner should know. */
async function noticeOtherLog(
  deps: LinkReportsDeps,
  facts: LinkFacts,
  { sessionId, last }: SessionReport,
  stored: KnownSession,
): Promise<void> {
  if (!deps.otherLogs.takes(facts.agentId, deps.now())) return
  const committed = stored.state === 'known' ? stored.stream.committed : 0
  await writeOfMachine(deps, facts, (set) => {
    const { agentId } = facts
    const machine = asMachine({ agentId, name: set.machines.fence(agentId)?.name ?? '' })
    const detail = { held: committed, offered: last }
    set.hub.appendAudit(refusalOf(machine, 'session.other_log', sessionId, detail), deps.now())
  })
}

/** Null if the hub cannot read its data of the session: nobody may conclude anything from that. */
function known(
  deps: LinkReportsDeps,
  { agentId }: LinkFacts,
  sessionId: string,
  kept: KeptSession = { state: 'unknown' },
): KnownSession | null {
  if (kept.state === 'here')
    return kept.row.agentId === agentId ? { state: 'known', stream: kept.row } : { state: 'not_yours' }
  if (kept.state !== 'damaged') return kept
  const error = new CodedError('STORAGE_DAMAGED', undefined, { sessionId }, kept.cause)
  if (!deps.tellsDamage(error)) return null // its machine may report it at every event
  deps.log.warn({ sessionId, agentId, error: String(kept.cause) }, 'a session cannot be read')
  deps.changes.session(sessionId)
  return null
}

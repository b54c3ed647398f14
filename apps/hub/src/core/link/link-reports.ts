/** LINK-2: the hub's verdict on each session that an agent reports, and what follows from it here. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { CodedError, type SessionReport, type Verdict } from '@roundhouse/backend-types'
import { judgeReport, type KnownSession } from '@roundhouse/delivery'
import { asMachine, refusalOf } from '../audit/audit'
import type { RowLimit } from '../common/row-limit'
import type { Changes } from '../doorbells/changes'
import type { SessionRow } from '../ports/session-store'
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
  /** Rows of logs that were lost or exchanged. */
  otherLogs: RowLimit
  /** Whether this damage was not told yet. */
  tellsDamage: (error: unknown) => boolean
}

/** Others are served between two lots of a page. */
const REPORTS_AT_ONCE = 32

/** One page of reports; `last`: no other follows. */
export async function takeReports(
  deps: LinkReportsDeps,
  facts: LinkFacts,
  { sessions, last }: { sessions: readonly SessionReport[]; last: boolean },
): Promise<Verdict[]> {
  requireCurrent(deps, facts)
  const verdicts = await judgeReports(deps, facts, sessions)
  requireCurrent(deps, facts)
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
  for (const [index, report] of reports.entries()) {
    if (index > 0 && index % REPORTS_AT_ONCE === 0) await nextTurn()
    const stored = readable(deps, facts, report.sessionId)
    if (!stored) continue // without a verdict it is not served on this connection; the others are
    const verdict = judgeReport(report, stored, deps.hub.hubEpoch)
    if ('kind' in verdict) return hubRestored(deps, facts)
    verdicts.push(verdict)
    // A full disk costs this row of the audit log, and not the connection of the machine.
    if (verdict.verdict === 'rebase') await noticeOtherLog(deps, facts, report).catch(unlessTold)
  }
  return verdicts
}

/** A log that was lost, put back or exchanged: whoever looks after the machine should know. */
async function noticeOtherLog(
  deps: LinkReportsDeps,
  facts: LinkFacts,
  { sessionId, last }: SessionReport,
): Promise<void> {
  if (!deps.otherLogs.takes(facts.agentId, deps.now())) return
  const { committed = 0 } = deps.reads.sessions.find(sessionId) ?? {}
  await writeOfMachine(deps, facts, (set) => {
    const { agentId } = facts
    const machine = asMachine({ agentId, name: set.machines.fence(agentId)?.name ?? '' })
    const detail = { held: committed, offered: last }
    set.hub.appendAudit(refusalOf(machine, 'session.other_log', sessionId, detail), deps.now())
  })
}

/** Null where the hub cannot read what it has of the session: nobody may conclude anything from that. */
function readable(deps: LinkReportsDeps, facts: LinkFacts, sessionId: string): KnownSession | null {
  try {
    const row = deps.reads.sessions.find(sessionId)
    if (row?.damaged || !deps.reads.sessions.isHeadWhole(sessionId)) throw new CodedError('STORAGE_DAMAGED')
    return known(deps, facts, sessionId, row)
  } catch (cause) {
    const error = new CodedError('STORAGE_DAMAGED', undefined, { sessionId }, cause)
    if (!deps.tellsDamage(error)) return null // its machine may report it at every event
    deps.log.warn({ sessionId, agentId: facts.agentId, error: String(cause) }, 'a session cannot be read')
    deps.changes.session(sessionId)
    return null
  }
}

function known({ reads }: LinkReportsDeps, { agentId }: LinkFacts, sessionId: string, row?: SessionRow): KnownSession {
  if (!row) return { state: reads.sessions.isDeleted(sessionId) ? 'deleted' : 'unknown' }
  return row.agentId === agentId ? { state: 'known', stream: row } : { state: 'not_yours' }
}

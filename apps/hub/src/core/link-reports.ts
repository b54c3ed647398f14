/** LINK-2: the hub's verdict on each session that an agent reports, and what follows from it here. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CodedError, type SessionReport, type Verdict } from '@roundhouse/backend-types'
import { judgeReport, type KnownSession } from '@roundhouse/delivery'
import { asMachine, refusalOf } from './audit'
import type { Context } from './context'
import { hubRestored } from './hub-restored'
import { requireCurrent, writeOfMachine } from './link-current'
import type { LinkFacts } from './link-facts'
import { tellMisdeed } from './misdeeds'
import type { SessionRow } from './ports'
import { unlessTold } from './storage-port'

/** Others are served between two lots of a page. */
const REPORTS_AT_ONCE = 32

/** One page of reports; `last`: no other follows. */
export async function takeReports(
  context: Context,
  facts: LinkFacts,
  { sessions, last }: { sessions: readonly SessionReport[]; last: boolean },
): Promise<Verdict[]> {
  requireCurrent(context, facts)
  const verdicts = await judgeReports(context, facts, sessions)
  requireCurrent(context, facts)
  for (const { sessionId, verdict } of verdicts) {
    if (verdict === 'not_yours') tellMisdeed(context, facts, 'SESSION_NOT_YOURS', { sessionId })
    if (verdict !== 'resume' && verdict !== 'rebase') continue // not this agent's, or not there
    const first = !facts.served.wasJudged(sessionId)
    if (context.memory.reported(sessionId, facts.connEpoch, first)) context.changes.session(sessionId)
  }
  facts.served.judged(verdicts, last)
  return verdicts
}

async function judgeReports(context: Context, facts: LinkFacts, reports: readonly SessionReport[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const [index, report] of reports.entries()) {
    if (index > 0 && index % REPORTS_AT_ONCE === 0) await nextTurn()
    const stored = readable(context, facts, report.sessionId)
    if (!stored) continue // without a verdict it is not served on this connection; the others are
    const verdict = judgeReport(report, stored, context.hub.hubEpoch)
    if ('kind' in verdict) return hubRestored(context, facts)
    verdicts.push(verdict)
    // A full disk costs this row of the audit log, and not the connection of the machine.
    if (verdict.verdict === 'rebase') await noticeOtherLog(context, facts, report).catch(unlessTold)
  }
  return verdicts
}

/** A log that was lost, put back or exchanged: whoever looks after the machine should know. */
async function noticeOtherLog(context: Context, facts: LinkFacts, { sessionId, last }: SessionReport): Promise<void> {
  if (!context.otherLogs.takes(facts.agentId, context.now())) return
  const { committed = 0 } = context.reads.session(sessionId) ?? {}
  await writeOfMachine(context, facts, (tx) => {
    const { agentId } = facts
    const machine = asMachine({ agentId, name: tx.agent(agentId)?.name ?? '' })
    const detail = { held: committed, offered: last }
    tx.audit(refusalOf(machine, 'session.other_log', sessionId, detail), context.now())
  })
}

/** Null where the hub cannot read what it has of the session: nobody may conclude anything from that. */
function readable(context: Context, facts: LinkFacts, sessionId: string): KnownSession | null {
  try {
    const row = context.reads.session(sessionId)
    if (row?.damaged || !context.reads.isHeadWhole(sessionId)) throw new CodedError('STORAGE_DAMAGED')
    return known(context, facts, sessionId, row)
  } catch (cause) {
    const error = new CodedError('STORAGE_DAMAGED', undefined, { sessionId }, cause)
    if (!context.told.damages(error)) return null // its machine may report it at every event
    context.log.warn({ sessionId, agentId: facts.agentId, error: String(cause) }, 'a session cannot be read')
    context.changes.session(sessionId)
    return null
  }
}

function known({ reads }: Context, { agentId }: LinkFacts, sessionId: string, row?: SessionRow): KnownSession {
  if (!row) return { state: reads.isDeleted(sessionId) ? 'deleted' : 'unknown' }
  return row.agentId === agentId ? { state: 'known', stream: row } : { state: 'not_yours' }
}

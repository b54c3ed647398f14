/** LINK-2: the hub's verdict on each session that an agent reports, and what follows from it here. */
import type { SessionReport, Verdict } from '@roundhouse/backend-types'
import { judgeReport, type KnownSession } from '@roundhouse/delivery'
import { asMachine, refusalOf } from './audit'
import type { Context } from './context'
import { hubRestored } from './hub-restored'
import { requireCurrent } from './link-current'
import type { LinkFacts } from './link-facts'
import { tellMisdeed } from './misdeeds'
import { requireEpoch } from './require-epoch'

/** One page of reports; `last`: no other follows. */
export async function takeReports(
  context: Context,
  facts: LinkFacts,
  { sessions, last }: { sessions: readonly SessionReport[]; last: boolean },
): Promise<Verdict[]> {
  requireCurrent(context, facts)
  const verdicts = await judgeReports(context, facts, sessions)
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
  for (const report of reports) {
    const verdict = judgeReport(report, known(context, facts, report.sessionId), context.hub.hubEpoch)
    if ('kind' in verdict) return hubRestored(context, facts)
    verdicts.push(verdict)
    if (verdict.verdict === 'rebase') await noticeOtherLog(context, facts, report)
  }
  return verdicts
}

/** A log that was lost, put back or exchanged: whoever looks after the machine should know. */
async function noticeOtherLog(context: Context, facts: LinkFacts, { sessionId, last }: SessionReport): Promise<void> {
  if (!context.otherLogs.takes(facts.agentId, context.now())) return
  const { committed = 0 } = context.reads.session(sessionId) ?? {}
  await context.transactions.write(async (tx) => {
    const agent = await requireEpoch(tx, facts)
    const detail = { held: committed, offered: last }
    await tx.audit(refusalOf(asMachine(agent), 'session.other_log', sessionId, detail), context.now())
  })
}

function known({ reads }: Context, { agentId }: LinkFacts, sessionId: string): KnownSession {
  const row = reads.session(sessionId)
  if (!row) return { state: reads.isDeleted(sessionId) ? 'deleted' : 'unknown' }
  return row.agentId === agentId ? { state: 'known', stream: row } : { state: 'not_yours' }
}

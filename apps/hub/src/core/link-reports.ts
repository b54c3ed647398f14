/** LINK-2, REB-2: the hub's verdict on each session that an agent reports. */
import type { SessionReport, Verdict } from '@roundhouse/backend-types'
import { commandStep, judgeReport, type KnownSession } from '@roundhouse/delivery'
import type { Context } from './context'
import type { LinkFacts } from './link-facts'
import { requireEpoch } from './link-hello'

export async function judgeReports(
  context: Context,
  facts: LinkFacts,
  reports: readonly SessionReport[],
): Promise<Verdict[]> {
  const judged = judgeAll(context, facts, reports)
  if (judged !== 'hub_restored') return judged
  await restored(context, facts)
  const again = judgeAll(context, facts, reports)
  // Under a new epoch no report can speak of it any more.
  return again === 'hub_restored' ? [] : again
}

function judgeAll(context: Context, facts: LinkFacts, reports: readonly SessionReport[]): Verdict[] | 'hub_restored' {
  const verdicts: Verdict[] = []
  for (const report of reports) {
    const verdict = judgeReport(report, known(context, facts, report.sessionId), context.hub.hubEpoch)
    if ('kind' in verdict) return 'hub_restored'
    verdicts.push(verdict)
  }
  return verdicts
}

function known({ reads }: Context, { agentId }: LinkFacts, sessionId: string): KnownSession {
  const row = reads.session(sessionId)
  if (!row) return { state: reads.isDeleted(sessionId) ? 'deleted' : 'unknown' }
  return row.agentId === agentId ? { state: 'known', stream: row } : { state: 'not_yours' }
}

/** The data was put back by hand: cursors of the old epoch prove nothing any more, so the epoch changes (REB-2). */
async function restored(context: Context, facts: LinkFacts): Promise<void> {
  const hubEpoch = context.newHubEpoch()
  await context.transactions.write(async (tx) => {
    await requireEpoch(tx, facts)
    await tx.changeHubEpoch(hubEpoch)
    await tx.moveCommands('pending', commandStep('pending', 'restored'))
    await tx.audit({ actorId: 'hub', actorName: 'hub', action: 'hub.restored', outcome: 'ok' }, context.now())
  })
  context.hub.hubEpoch = hubEpoch
  context.log.warn({ hubEpoch }, 'an agent holds acknowledgements that this database does not: it was restored')
  context.doorbells.ring('hubEpoch', { hubEpoch })
}

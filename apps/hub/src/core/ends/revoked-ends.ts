/** The sessions of a machine end when it is revoked. The bus hears so in the same transaction: no log will say it (BUS-13.7). */
import { endBeside } from '../bus/sessions/session-facts'
import type { BusStore } from '../ports/bus-store'
import type { Reads } from '../ports/stores'
import { isRefused } from '../views/view'
import type { PersonTx } from '../writes/write-as'

interface RevokedEndsDeps {
  bus: Pick<BusStore, 'appendIn'>
  now: () => number
  reads: Pick<Reads, 'commands' | 'sessions'>
}

/** In the transaction that revokes the machine, before its commands are cancelled. */
export async function tellRevokedEnds(deps: RevokedEndsDeps, tx: PersonTx, agentId: string): Promise<void> {
  const { bus, now, reads } = deps
  const rows = []
  for (const sessionId of await liveSessions(reads, agentId)) {
    const session = await tx.sessions.find(sessionId)
    if (session && session.status.status !== 'ended')
      rows.push(endBeside({ sessionId, agentId, why: 'agent_revoked', now: now() }))
  }
  if (rows.length > 0) await bus.appendIn(tx, { rows })
}

async function liveSessions({ commands, sessions }: RevokedEndsDeps['reads'], agentId: string): Promise<string[]> {
  const rows = await sessions.listed(await sessions.idsOfMachine(agentId))
  const live = rows.filter(({ status }) => status.status !== 'ended')
  const shown = await commands.shownOfMany(live.map(({ sessionId }) => sessionId))
  return live.flatMap((row) => (isRefused(row, shown.get(row.sessionId) ?? []) ? [] : row.sessionId))
}

/** Invitations on the reading connection. */
import type { InvitationRow, InvitationStore } from '../../../core/ports/invitation-store'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import { readList } from '../rows/json-lists'

export function createInvitationReads(db: Connection): AtOnce<InvitationStore> {
  const newest = db.prepare<[number], Omit<InvitationRow, 'agents'> & { agents: string }>(
    'SELECT * FROM Invitation ORDER BY createdAt DESC LIMIT ?',
  )
  return { newest: (limit) => newest.all(limit).map((row) => ({ ...row, agents: readList(row.agents) })) }
}

/** Invitations on the reading connection. */
import type { InvitationRow, InvitationStore } from '../../../core/ports/invitation-store'
import type { Connection } from '../file/connections'

export function createInvitationReads(db: Connection): InvitationStore {
  const newest = db.prepare<[number], InvitationRow>('SELECT * FROM Invitation ORDER BY createdAt DESC LIMIT ?')
  return { newest: (limit) => newest.all(limit) }
}

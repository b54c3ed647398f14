/** The login of a session token and the person behind it, read at once on the reading connection. */
import type { FindLogin, LoginRow } from '../core/ports'
import type { Connection } from './connections'

export function createFindLogin(db: Connection): FindLogin {
  const find = db.prepare<[string], LoginRow>(
    `SELECT s.id AS loginId, s.expiresAt, u.id AS userId, u.name, u.email, u.role, u.banned,
       (SELECT json_group_array(agentId) FROM MachineShare WHERE userId = u.id) AS shared
     FROM AuthSession s JOIN User u ON u.id = s.userId WHERE s.token = ?`,
  )
  return (token) => find.get(token)
}

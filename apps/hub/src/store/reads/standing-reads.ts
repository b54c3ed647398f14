/** What a login, a token or a person is good for, by one statement on the reading connection (AUTH-1). */
import { Role } from '@roundhouse/backend-types'
import type { Standing } from '../../core/access/standing'
import type { PeopleReads } from '../../core/ports/people-ports'
import type { Connection } from '../file/connections'

type Raw = Omit<Standing, 'role' | 'banned'> & { role: string | null; banned: number | null }

const person = `u.id AS userId, u.role, u.banned,
  (SELECT json_group_array(agentId) FROM MachineShare WHERE userId = u.id) AS shared`

export function createStandingReads(db: Connection): Pick<PeopleReads, 'standing'> {
  const by = {
    login: db.prepare<[string], Raw>(
      `SELECT ${person}, NULL AS scopes, s.expiresAt FROM AuthSession s JOIN User u ON u.id = s.userId WHERE s.id = ?`,
    ),
    token: db.prepare<[string], Raw>(
      `SELECT ${person}, t.scopes, t.expiresAt FROM ApiToken t JOIN User u ON u.id = t.userId WHERE t.tokenId = ?`,
    ),
    person: db.prepare<[string], Raw>(`SELECT ${person}, NULL AS scopes, NULL AS expiresAt FROM User u WHERE u.id = ?`),
  }
  return {
    standing: ({ kind, id }) => {
      const row = by[kind].get(id)
      return row && { ...row, banned: row.banned === 1, role: Role.safeParse(row.role).data ?? 'viewer' }
    },
  }
}

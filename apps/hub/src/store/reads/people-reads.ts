/** People, their invitations, logins and tokens, on the reading connection. */
import { Role } from '@roundhouse/backend-types'
import type {
  ApiTokenOwner,
  ApiTokenRow,
  InvitationRow,
  OwnLogin,
  PeopleReads,
  PersonRow,
} from '../../core/ports/people-ports'
import type { Connection } from '../file/connections'
import { createFactorReads } from './factor-reads'
import { createLoginReads } from './login-reads'
import { createStandingReads } from './standing-reads'

type Raw<T> = Omit<T, 'banned' | 'role'> & { banned: number | null; role: string | null }

const shared = '(SELECT json_group_array(agentId) FROM MachineShare WHERE userId = u.id)'
const personColumns = `u.id AS userId, u.name, u.email, u.role, u.banned, u.createdAt, ${shared} AS shared,
  (SELECT max(createdAt) FROM AuthSession WHERE userId = u.id) AS lastLoginAt`

export function createPeopleReads(db: Connection): PeopleReads {
  const people = db.prepare<[], Raw<PersonRow>>(`SELECT ${personColumns} FROM User u ORDER BY u.createdAt`)
  const person = db.prepare<[string], Raw<PersonRow>>(`SELECT ${personColumns} FROM User u WHERE u.id = ?`)
  const byEmail = db.prepare<[string], Raw<PersonRow>>(`SELECT ${personColumns} FROM User u WHERE u.email = ?`)
  const invitations = db.prepare<[number], InvitationRow>('SELECT * FROM Invitation ORDER BY createdAt DESC LIMIT ?')
  const tokens = db.prepare<[string], ApiTokenRow>('SELECT * FROM ApiToken WHERE userId = ? ORDER BY createdAt')
  const token = db.prepare<[string], Raw<ApiTokenOwner>>(
    `SELECT t.*, u.name AS personName, u.email, u.role, u.banned, ${shared} AS shared
     FROM ApiToken t JOIN User u ON u.id = t.userId WHERE t.tokenId = ?`,
  )
  const logins = db.prepare<[string, number], OwnLogin>(
    `SELECT id AS loginId, userAgent, ipAddress AS address, createdAt, expiresAt FROM AuthSession
     WHERE userId = ? AND expiresAt > ? ORDER BY createdAt DESC`,
  )
  const linked = db.prepare<[string], { at: number | null }>(
    "SELECT min(createdAt) AS at FROM Account WHERE userId = ? AND providerId <> 'credential'",
  )
  return {
    ...createFactorReads(db),
    ...createLoginReads(db),
    ...createStandingReads(db),
    people: () => people.all().map(toPerson),
    person: (userId) => {
      const row = person.get(userId)
      return row && toPerson(row)
    },
    personByEmail: (email) => {
      const row = byEmail.get(email.trim().toLowerCase())
      return row && toPerson(row)
    },
    invitations: (limit) => invitations.all(limit),
    apiTokens: (userId) => tokens.all(userId),
    apiToken: (tokenId) => {
      const row = token.get(tokenId)
      return row && toPerson(row)
    },
    loginsOf: (userId, now) => logins.all(userId, now),
    linkedAt: (userId) => linked.get(userId)?.at ?? null,
  }
}

/** A role is free text in the library's table: what is none of ours may the least. */
function toPerson<T extends { banned: number | null; role: string | null }>(row: T) {
  return { ...row, banned: row.banned === 1, role: Role.safeParse(row.role).data ?? 'viewer' }
}

/** What a login, a token or a person is good for, by one statement on the reading connection (AUTH-1). */
import type { ApiTokenScope } from '@roundhouse/backend-types'
import type { Standing } from '../../../core/access/standing'
import type { PeopleStore } from '../../../core/ports/people-store'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import { readList } from '../rows/json-lists'
import { type RawPerson, sharedMachines, toPerson } from '../rows/people-rows'

interface Raw extends RawPerson<Omit<Standing, 'scopes'>> {
  scopes: string | null
}

const person = `u.id AS userId, u.role, u.banned,
  ${sharedMachines} AS shared`

export function createStandingRead(db: Connection): AtOnce<PeopleStore>['standing'] {
  const by = {
    login: db.prepare<[string], Raw>(
      `SELECT ${person}, NULL AS scopes, s.expiresAt FROM AuthSession s JOIN User u ON u.id = s.userId WHERE s.id = ?`,
    ),
    token: db.prepare<[string], Raw>(
      `SELECT ${person}, t.scopes, t.expiresAt FROM ApiToken t JOIN User u ON u.id = t.userId WHERE t.tokenId = ?`,
    ),
    person: db.prepare<[string], Raw>(`SELECT ${person}, NULL AS scopes, NULL AS expiresAt FROM User u WHERE u.id = ?`),
  }
  return ({ kind, id }) => {
    const row = by[kind].get(id)
    if (!row) return undefined
    const scopes = row.scopes === null ? null : readList<ApiTokenScope>(row.scopes)
    return { ...toPerson(row), scopes }
  }
}

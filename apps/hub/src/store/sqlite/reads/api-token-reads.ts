/** Tokens of programs on the reading connection. */
import type { ApiTokenOwner, ApiTokenRow, ApiTokenStore } from '../../../core/ports/api-token-store'
import type { Connection } from '../file/connections'
import { type RawPerson, sharedMachines, toPerson } from '../rows/people-rows'

export function createApiTokenReads(db: Connection): ApiTokenStore {
  const ofPerson = db.prepare<[string], ApiTokenRow>('SELECT * FROM ApiToken WHERE userId = ? ORDER BY createdAt')
  const one = db.prepare<[string], RawPerson<ApiTokenOwner>>(
    `SELECT t.*, u.name AS personName, u.email, u.role, u.banned, ${sharedMachines} AS shared
     FROM ApiToken t JOIN User u ON u.id = t.userId WHERE t.tokenId = ?`,
  )
  return {
    find: (tokenId) => {
      const row = one.get(tokenId)
      return row && toPerson(row)
    },
    ofPerson: (userId) => ofPerson.all(userId),
  }
}

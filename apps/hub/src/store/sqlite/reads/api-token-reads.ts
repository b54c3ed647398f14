/** Tokens of programs on the reading connection. */
import type { ApiTokenScope } from '@roundhouse/backend-types'
import type { ApiTokenOwner, ApiTokenRow, ApiTokenStore } from '../../../core/ports/api-token-store'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import { readList } from '../rows/json-lists'
import { type RawPerson, sharedMachines, toPerson } from '../rows/people-rows'

type Raw<T> = Omit<T, 'scopes'> & { scopes: string }

export function createApiTokenReads(db: Connection): AtOnce<ApiTokenStore> {
  const ofPerson = db.prepare<[string], Raw<ApiTokenRow>>(
    `SELECT * FROM ApiToken WHERE userId = ? AND tokenId NOT IN (SELECT tokenId FROM ChannelLink) ORDER BY createdAt`,
  )
  const one = db.prepare<[string], RawPerson<Raw<ApiTokenOwner>>>(
    `SELECT t.*, u.name AS personName, u.email, u.role, u.banned, ${sharedMachines} AS shared
     FROM ApiToken t JOIN User u ON u.id = t.userId WHERE t.tokenId = ?`,
  )
  return {
    find: (tokenId) => {
      const row = one.get(tokenId)
      return row && toToken(toPerson(row))
    },
    ofPerson: (userId) => ofPerson.all(userId).map(toToken),
  }
}

function toToken<T extends { scopes: string }>(row: T) {
  return { ...row, scopes: readList<ApiTokenScope>(row.scopes) }
}

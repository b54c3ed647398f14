/** Enrollment tokens on the reading connection. */
import type { EnrollmentTokenStore } from '../../../core/ports/enrollment-token-store'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import { type RawToken, toToken } from '../rows/rows'

export function createEnrollmentTokenReads(db: Connection): AtOnce<EnrollmentTokenStore> {
  const one = db.prepare<[string], RawToken>('SELECT * FROM EnrollmentToken WHERE tokenId = ?')
  const newest = db.prepare<[number], RawToken>('SELECT * FROM EnrollmentToken ORDER BY createdAt DESC LIMIT ?')
  return {
    find: (tokenId) => {
      const row = one.get(tokenId)
      return row && toToken(row)
    },
    newest: (limit) => newest.all(limit).map(toToken),
  }
}

/** Second factors on the reading connection. */
import type { PasskeyView } from '@roundhouse/backend-types'
import type { FactorStore, TotpRow } from '../../../core/ports/factor-store'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'

export function createFactorReads(db: Connection): AtOnce<FactorStore> {
  const one = db.prepare<[string], Omit<TotpRow, 'verified'> & { verified: number }>(
    'SELECT secret, backupCodes, verified FROM TwoFactor WHERE userId = ?',
  )
  const ofPerson = db.prepare<[string], PasskeyView>(
    `SELECT id AS passkeyId, coalesce(name, 'Passkey') AS name, coalesce(createdAt, 0) AS createdAt
     FROM Passkey WHERE userId = ? ORDER BY createdAt`,
  )
  return {
    totp: (userId) => {
      const row = one.get(userId)
      return row && { ...row, verified: row.verified === 1 }
    },
    passkeys: (userId) => ofPerson.all(userId),
  }
}

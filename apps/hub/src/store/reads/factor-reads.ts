/** Second factors on the reading connection. */
import type { PasskeyView } from '@roundhouse/backend-types'
import type { FactorReads, TotpRow } from '../../core/ports/factor-ports'
import type { Connection } from '../file/connections'

export function createFactorReads(db: Connection): FactorReads {
  const totp = db.prepare<[string], Omit<TotpRow, 'verified'> & { verified: number }>(
    'SELECT secret, backupCodes, verified FROM TwoFactor WHERE userId = ?',
  )
  const passkeys = db.prepare<[string], PasskeyView>(
    `SELECT id AS passkeyId, coalesce(name, 'Passkey') AS name, coalesce(createdAt, 0) AS createdAt
     FROM Passkey WHERE userId = ? ORDER BY createdAt`,
  )
  return {
    totpOf: (userId) => {
      const row = totp.get(userId)
      return row && { ...row, verified: row.verified === 1 }
    },
    passkeysOf: (userId) => passkeys.all(userId),
  }
}

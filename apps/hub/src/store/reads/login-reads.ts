/** Logins and unfinished sign-ins, read at once on the reading connection. */
import type { FindLogin, KnownKey, LoginReads, LoginRow, LoginStep } from '../../core/ports/login-ports'
import type { Connection } from '../file/connections'

const columns = `s.id AS loginId, s.keyId, s.publicKey, s.expiresAt, u.id AS userId, u.name, u.email, u.role, u.banned,
  (SELECT json_group_array(agentId) FROM MachineShare WHERE userId = u.id) AS shared`

export function createFindLogin(db: Connection): FindLogin {
  const from = `SELECT ${columns} FROM AuthSession s JOIN User u ON u.id = s.userId WHERE`
  const byKey = db.prepare<[string], LoginRow>(`${from} s.keyId = ?`)
  return (keyId) => byKey.get(keyId)
}

export function createLoginReads(db: Connection): LoginReads {
  const step = db.prepare<[string, number], { value: string }>(
    'SELECT value FROM LoginStep WHERE keyId = ? AND expiresAt > ?',
  )
  const known = db.prepare<[string], KnownKey>(
    'SELECT k.keyId, k.publicKey, k.userId, u.email FROM KnownKey k JOIN User u ON u.id = k.userId WHERE k.keyId = ?',
  )
  const person = db.prepare<[string], { userId: string }>('SELECT userId FROM AuthSession WHERE keyId = ?')
  return {
    personOfKey: (keyId) => person.get(keyId)?.userId ?? null,
    loginStep: (keyId, now) => {
      const row = step.get(keyId, now)
      return row ? (JSON.parse(row.value) as LoginStep) : null
    },
    knownKey: (keyId) => known.get(keyId),
  }
}

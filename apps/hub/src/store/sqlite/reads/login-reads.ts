/** Logins and unfinished sign-ins, read at once on the reading connection. */
import type { FindLogin, KnownKey, LoginRow, LoginStep, LoginStore, OwnLogin } from '../../../core/ports/login-store'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import { readList } from '../rows/json-lists'
import { sharedMachines } from '../rows/people-rows'

const columns = `s.id AS loginId, s.keyId, s.publicKey, s.expiresAt, u.id AS userId, u.name, u.email, u.role, u.banned,
  ${sharedMachines} AS shared`

export function createFindLogin(db: Connection): (...args: Parameters<FindLogin>) => LoginRow | undefined {
  const from = `SELECT ${columns} FROM AuthSession s JOIN User u ON u.id = s.userId WHERE`
  const byKey = db.prepare<[string], Omit<LoginRow, 'shared'> & { shared: string }>(`${from} s.keyId = ?`)
  return (keyId) => {
    const row = byKey.get(keyId)
    return row && { ...row, shared: readList(row.shared) }
  }
}

export function createLoginReads(db: Connection): AtOnce<LoginStore> {
  const step = db.prepare<[string, number], { value: string }>(
    'SELECT value FROM LoginStep WHERE keyId = ? AND expiresAt > ?',
  )
  const known = db.prepare<[string], KnownKey>(
    'SELECT k.keyId, k.publicKey, k.userId, u.email FROM KnownKey k JOIN User u ON u.id = k.userId WHERE k.keyId = ?',
  )
  const person = db.prepare<[string], { userId: string }>('SELECT userId FROM AuthSession WHERE keyId = ?')
  const logins = db.prepare<[string, number], OwnLogin>(
    `SELECT id AS loginId, userAgent, ipAddress AS address, createdAt, expiresAt FROM AuthSession
     WHERE userId = ? AND expiresAt > ? ORDER BY createdAt DESC`,
  )
  return {
    ofPerson: (userId, now) => logins.all(userId, now),
    personOfKey: (keyId) => person.get(keyId)?.userId ?? null,
    step: (keyId, now) => {
      const row = step.get(keyId, now)
      return row ? (JSON.parse(row.value) as LoginStep) : null
    },
    knownKey: (keyId) => known.get(keyId),
  }
}

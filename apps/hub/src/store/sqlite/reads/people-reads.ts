/** People on the reading connection, and what they are good for. */
import type { PeopleStore, PersonRow } from '../../../core/ports/people-store'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import { type RawPerson, sharedMachines, toPerson } from '../rows/people-rows'
import { createStandingRead } from './standing-reads'

const personColumns = `u.id AS userId, u.name, u.email, u.role, u.banned, u.createdAt, ${sharedMachines} AS shared,
  (SELECT max(createdAt) FROM AuthSession WHERE userId = u.id) AS lastLoginAt`

export function createPeopleReads(db: Connection): AtOnce<PeopleStore> {
  const all = db.prepare<[], RawPerson<PersonRow>>(`SELECT ${personColumns} FROM User u ORDER BY u.createdAt`)
  const one = db.prepare<[string], RawPerson<PersonRow>>(`SELECT ${personColumns} FROM User u WHERE u.id = ?`)
  const byEmail = db.prepare<[string], RawPerson<PersonRow>>(`SELECT ${personColumns} FROM User u WHERE u.email = ?`)
  const linked = db.prepare<[string], { at: number | null }>(
    "SELECT min(createdAt) AS at FROM Account WHERE userId = ? AND providerId <> 'credential'",
  )
  return {
    standing: createStandingRead(db),
    all: () => all.all().map(toPerson),
    find: (userId) => {
      const row = one.get(userId)
      return row && toPerson(row)
    },
    findByEmail: (email) => {
      const row = byEmail.get(email.trim().toLowerCase())
      return row && toPerson(row)
    },
    linkedAt: (userId) => linked.get(userId)?.at ?? null,
  }
}

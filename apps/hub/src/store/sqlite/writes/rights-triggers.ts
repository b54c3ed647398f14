/**
 * AUTH-1: whoever writes it, and by which library, what may take rights away raises one number in the same transaction. Made at each
 * start, so that no migration can lose one.
 */
import type { Connection } from '../file/connections'

const raises = [
  ['login_ended', 'DELETE ON "AuthSession"'],
  ['login_changed', 'UPDATE OF "expiresAt", "userId" ON "AuthSession"'],
  ['token_ended', 'DELETE ON "ApiToken"'],
  ['token_changed', 'UPDATE OF "expiresAt", "userId", "scopes" ON "ApiToken"'],
  ['share_given', 'INSERT ON "MachineShare"'],
  ['share_ended', 'DELETE ON "MachineShare"'],
  ['person_changed', 'UPDATE OF "role", "banned" ON "User"'],
  ['person_ended', 'DELETE ON "User"'],
] as const

export function makeRightsTriggers(db: Connection): void {
  db.transaction(() => {
    for (const [name, change] of raises) {
      db.exec(`DROP TRIGGER IF EXISTS "Rights_${name}"`)
      db.exec(
        `CREATE TRIGGER "Rights_${name}" AFTER ${change}
         BEGIN UPDATE "HubState" SET "rightsVersion" = "rightsVersion" + 1; END`,
      )
    }
  }).immediate()
}

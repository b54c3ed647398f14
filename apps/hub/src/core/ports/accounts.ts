import type { Role } from '@roundhouse/backend-types'

/** The login library, which stores passwords. */
export interface Accounts {
  /** Resolves to the new person's id. */
  create(person: { email: string; name: string; password: string; role: Role }): Promise<string>
  /** For `setPassword` of a transaction. */
  hash(password: string): Promise<string>
}

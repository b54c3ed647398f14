/** What the core needs of a store to keep second factors. */
import type { PasskeyView } from '@roundhouse/backend-types'

export interface TotpRow {
  /** Both sealed. */
  secret: string
  backupCodes: string
  /** False: offered, and no code of it was shown yet. */
  verified: boolean
}

export interface FactorStore {
  totp(userId: string): Promise<TotpRow | undefined>
  passkeys(userId: string): Promise<PasskeyView[]>
}

/** In a person's transaction. */
export interface FactorWrites {
  totp(userId: string): Promise<TotpRow | null>
  /** In place of one that was offered before. */
  offerTotp(userId: string, row: Pick<TotpRow, 'secret' | 'backupCodes'>): Promise<void>
  /** From now on a code is asked at the door. */
  enableTotp(userId: string): Promise<void>
  /** One that no code was shown of. */
  withdrawTotpOffer(userId: string): Promise<void>
  /** False: there was none. */
  removeTotp(userId: string): Promise<boolean>
  /** One conditional update: false where this step or a later one was spent already, or the secret is another. */
  spendStep(userId: string, secret: string, step: number): Promise<boolean>
  /** One conditional update: false where they are not `before` any more. */
  replaceBackupCodes(userId: string, before: string, after: string): Promise<boolean>
  /** Until when no code is taken from this person, or null. */
  codesLockedUntil(userId: string): Promise<number | null>
  /** Ten in a row lock codes until `lockUntil`. */
  countWrongCode(userId: string, lockUntil: number): Promise<void>
  forgetWrongCodes(userId: string): Promise<void>
  renamePasskey(userId: string, passkeyId: string, name: string): Promise<boolean>
  removePasskey(userId: string, passkeyId: string): Promise<boolean>
  /** How many there were. */
  removePasskeys(userId: string): Promise<number>
}

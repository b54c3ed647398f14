/** The store of second factors. */
import type { PasskeyView } from '@roundhouse/backend-types'

export interface TotpRow {
  /** Both sealed. */
  secret: string
  backupCodes: string
  /** False: offered, and not confirmed by a code yet. */
  verified: boolean
}

export interface FactorStore {
  totp(userId: string): Promise<TotpRow | undefined>
  passkeys(userId: string): Promise<PasskeyView[]>
}

/** In a person's transaction. */
export interface FactorWrites {
  totp(userId: string): Promise<TotpRow | null>
  /** Replaces an earlier offer. */
  offerTotp(userId: string, row: Pick<TotpRow, 'secret' | 'backupCodes'>): Promise<void>
  /** From now on, signing in requires a code. */
  enableTotp(userId: string): Promise<void>
  /** Withdraws an offer that was not confirmed. */
  withdrawTotpOffer(userId: string): Promise<void>
  /** False if there was none. */
  removeTotp(userId: string): Promise<boolean>
  /** One conditional update. False if this step or a later one was spent already, or the secret differs. */
  spendStep(userId: string, secret: string, step: number): Promise<boolean>
  /** One conditional update. False if the codes are no longer `before`. */
  replaceBackupCodes(userId: string, before: string, after: string): Promise<boolean>
  /** Until when no code is accepted from this person, or null. */
  codesLockedUntil(userId: string): Promise<number | null>
  /** Ten wrong codes in a row lock codes until `lockUntil`. */
  countWrongCode(userId: string, lockUntil: number): Promise<void>
  forgetWrongCodes(userId: string): Promise<void>
  renamePasskey(userId: string, passkeyId: string, name: string): Promise<boolean>
  removePasskey(userId: string, passkeyId: string): Promise<boolean>
  /** Returns how many there were. */
  removePasskeys(userId: string): Promise<number>
}

/** What the core needs for second factors: of the store, and of the login library, whose formats the rows have. */
import type { PasskeyView } from '@roundhouse/backend-types'

export interface TotpRow {
  /** Both sealed. */
  secret: string
  backupCodes: string
  /** False: offered, and no code of it was shown yet. */
  verified: boolean
}

export interface FactorReads {
  totpOf(userId: string): TotpRow | undefined
  passkeysOf(userId: string): PasskeyView[]
}

/** The part of a write transaction that is about second factors. */
export interface FactorTx {
  findTotp(userId: string): Promise<TotpRow | null>
  /** In place of one that was offered before. */
  offerTotp(userId: string, row: Pick<TotpRow, 'secret' | 'backupCodes'>): Promise<void>
  /** From now on a code is asked at the door. */
  enableTotp(userId: string): Promise<void>
  /** One conditional update: false where this step or a later one was spent already, or the secret is another. */
  spendStep(userId: string, secret: string, step: number): Promise<boolean>
  /** One conditional update: false where they are not `before` any more. */
  replaceBackupCodes(userId: string, before: string, after: string): Promise<boolean>
  /** One that no code was shown of. */
  withdrawTotpOffer(userId: string): Promise<void>
  /** False: there was none. */
  removeTotp(userId: string): Promise<boolean>
  renamePasskey(userId: string, passkeyId: string, name: string): Promise<boolean>
  removePasskey(userId: string, passkeyId: string): Promise<boolean>
  /** How many there were. */
  removePasskeys(userId: string): Promise<number>
  /** Ids of those that were ended. */
  endOtherLogins(userId: string, loginId: string): Promise<string[]>
}

export interface JudgedPassword {
  /** `none`: this person has no password. */
  verdict: 'right' | 'wrong' | 'none'
  /** What it was judged by. */
  hash: string | null
}

/** Makes, seals and judges codes. */
export interface FactorKeeper {
  /** The stored hash where the password is right. Takes as long where there is no such person, or no password. */
  checkPassword(userId: string | null, password: string): Promise<string | null>
  hashPassword(password: string): Promise<string>
  judgePassword(userId: string, password: string): Promise<JudgedPassword>
  newTotp(email: string): Promise<{ secret: string; uri: string; sealed: string }>
  newBackupCodes(): Promise<{ codes: string[]; sealed: string }>
  countBackupCodes(sealed: string): Promise<number>
  /** The time step whose code this is at `now`; null for none. */
  stepOf(sealedSecret: string, code: string, now: number): Promise<number | null>
  /** What is left, sealed; null where this is none of them. */
  withoutBackupCode(sealed: string, code: string): Promise<string | null>
}

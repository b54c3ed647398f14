/** The part of the login library that creates, seals and checks codes: it defines the formats in the rows of second factors. */

export interface JudgedPassword {
  /** `none`: this person has no password. */
  verdict: 'right' | 'wrong' | 'none'
  /** The hash against which the password was checked. */
  hash: string | null
}

export interface FactorKeeper {
  /** The stored hash if the password is right. Takes the same time without such a person or password. */
  checkPassword(userId: string | null, password: string): Promise<string | null>
  hashPassword(password: string): Promise<string>
  judgePassword(userId: string, password: string): Promise<JudgedPassword>
  newTotp(email: string): Promise<{ secret: string; uri: string; sealed: string }>
  newBackupCodes(): Promise<{ codes: string[]; sealed: string }>
  countBackupCodes(sealed: string): Promise<number>
  /** The time step of this code at `now`; null if there is none. */
  stepOf(sealedSecret: string, code: string, now: number): Promise<number | null>
  /** The remaining codes, sealed; null if this is none of them. */
  withoutBackupCode(sealed: string, code: string): Promise<string | null>
}

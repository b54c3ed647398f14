/** What the core needs of the login library, whose formats the rows of second factors have: it makes, seals and judges codes. */

export interface JudgedPassword {
  /** `none`: this person has no password. */
  verdict: 'right' | 'wrong' | 'none'
  /** What it was judged by. */
  hash: string | null
}

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

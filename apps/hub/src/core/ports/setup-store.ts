/** What the first run needs of a store: the one-time code that creates the owner, as its hash. */

export interface SetupCode {
  codeHash: string
  expiresAt: number
}

export interface SetupStore {
  /** Whether there is nobody yet. */
  isEmpty(): Promise<boolean>
  /** In place of an earlier code, with no attempt counted. */
  keep(code: SetupCode): Promise<void>
  find(): Promise<SetupCode | null>
  countWrong(): Promise<void>
  /** One conditional update: false where the code is spent, too old, or was tried too often. */
  claim(now: number, mostAttempts: number): Promise<boolean>
  /** What was claimed came to nothing. */
  release(): Promise<void>
}

/** The store of the first run: the hash of the one-time code that creates the owner. */

export interface SetupCode {
  codeHash: string
  expiresAt: number
}

export interface SetupStore {
  /** Whether there are no people yet. */
  isEmpty(): Promise<boolean>
  /** Replaces an earlier code and resets its attempts. */
  keep(code: SetupCode): Promise<void>
  find(): Promise<SetupCode | null>
  countWrong(): Promise<void>
  /** One conditional update. False if the code is spent, too old, or was tried too often. */
  claim(now: number, mostAttempts: number): Promise<boolean>
  /** Releases a claim whose work failed. */
  release(): Promise<void>
}

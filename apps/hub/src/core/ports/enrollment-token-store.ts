/** The store of enrollment tokens. */

export interface TokenRow {
  tokenId: string
  secretHash: string
  name: string | null
  createdBy: string
  createdAt: number
  expiresAt: number
  usedAt: number | null
  usedBy: string | null
  revokedAt: number | null
  wrongAttempts: number
  requireApproval: boolean
}

export interface EnrollmentTokenStore {
  find(tokenId: string): Promise<TokenRow | undefined>
  newest(limit: number): Promise<TokenRow[]>
}

/** In a person's transaction, or in that of a machine that joins. */
export interface EnrollmentTokenWrites {
  insert(row: TokenRow): Promise<void>
  find(tokenId: string): Promise<TokenRow | null>
  /** One conditional update. False if the token was used, revoked or burnt meanwhile. */
  spend(tokenId: string, agentId: string, at: number): Promise<boolean>
  countWrong(tokenId: string): Promise<void>
  revoke(tokenId: string, at: number): Promise<void>
  /** The unused tokens that this person created. */
  revokeOf(userId: string, at: number): Promise<void>
}

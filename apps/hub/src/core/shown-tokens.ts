/**
 * JOIN-1: enrollment tokens that a repeat of the same request may still show, in memory alone. On the disk there is only
 * their hash, also where answers are kept (CMD-1); a token leaves here when it is used, revoked or too old.
 */
export class ShownTokens {
  readonly #now: () => number
  readonly #tokens = new Map<string, { token: string; expiresAt: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  keep(tokenId: string, token: string, expiresAt: number): void {
    for (const [id, kept] of this.#tokens) if (kept.expiresAt <= this.#now()) this.#tokens.delete(id)
    this.#tokens.set(tokenId, { token, expiresAt })
  }

  get(tokenId: string): string | undefined {
    const kept = this.#tokens.get(tokenId)
    return kept && kept.expiresAt > this.#now() ? kept.token : undefined
  }

  forget(tokenId: string): void {
    this.#tokens.delete(tokenId)
  }
}

/** Identifies an unauthenticated caller by address, for rate limits. */
export interface Caller {
  address: string
}

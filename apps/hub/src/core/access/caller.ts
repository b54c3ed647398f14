/** What an unauthenticated caller is known by: limits are per address. */
export interface Caller {
  address: string
}

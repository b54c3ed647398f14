/** How much one read may return. */

export interface EventsLimit {
  maxEvents: number
  maxBytes: number
}

/** How many requests, and how long those of one machine may be together, not counting the newest. */
export interface InboxLimit {
  perMachine: number
  inAll: number
  bytesPerMachine: number
}

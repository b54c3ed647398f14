/** How much one read may give. */

export interface EventsLimit {
  maxEvents: number
  maxBytes: number
}

/** How many questions; and of one machine how long they are together, but for the newest. */
export interface InboxLimit {
  perMachine: number
  inAll: number
  bytesPerMachine: number
}

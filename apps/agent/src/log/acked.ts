/**
 * How far the hub has stored a log, kept in the log itself: a restore covers both, so it never claims more than the events
 * show. Only the lease holder writes it.
 */
export interface Acked {
  upTo: number
  /** The hub's epoch in which it was reported. */
  epoch: string
}

export const ackedKey = 'acked'
const nothingAcked: Acked = { upTo: 0, epoch: '' }

export function parseAcked(text: string | null): Acked {
  return text === null ? nothingAcked : (JSON.parse(text) as Acked)
}

/** Combines a new ack with the known one of the same log. Within one epoch an ack never goes back. */
export function laterAcked(known: Acked, said: Acked): Acked {
  return known.epoch === said.epoch ? { ...said, upTo: Math.max(known.upTo, said.upTo) } : said
}

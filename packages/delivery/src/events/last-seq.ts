/**
 * Where an event ends: a gap stands for a whole range of numbers (LOG-2).
 *
 * The contract has the same helper as a value; the kernel takes only types from it, so that neither the session host
 * nor the browser has to load the schemas for the sake of delivery.
 */
export function lastSeq(event: { seq: number; to?: number | undefined }): number {
  return event.to ?? event.seq
}

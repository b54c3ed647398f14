/** LOG-10: a stored event has happened, and not before the event above it. */
export function timeToShow(corrected: number, before: number, now: number): number {
  return Math.max(0, before, Math.round(Math.min(corrected, now)))
}

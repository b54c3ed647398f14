/** LOG-10: what is stored has happened, and nothing happened before what stands above it. */
export function timeToShow(corrected: number, before: number, now: number): number {
  return Math.max(0, before, Math.round(Math.min(corrected, now)))
}

/** How long to wait before the next attempt: longer each time, and never the same for everybody (LINK-4). Pure. */
const FIRST_MS = 500
const LONGEST_MS = 10_000

/** `attempt` counts from 0; `random` is in [0, 1). */
export function retryDelayMs(attempt: number, random: number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt)
  return Math.round(full * (0.5 + random / 2))
}

/** How long to wait before the next attempt at a hub that does not answer. Pure. */
const LEAST_MS = 200
const MOST_MS = 5_000

/** `failures` in a row; `random` from 0 to 1 spreads programs that lost the same hub. */
export function pauseBefore(failures: number, random: number): number {
  const full = Math.min(MOST_MS, LEAST_MS * 2 ** Math.min(failures, 10))
  return Math.round(full * (0.5 + random / 2))
}

/** LINK-4: how long to wait before the next attempt. Full jitter, so that a thousand agents do not return in one moment. */

export interface BackoffLimits {
  firstMs: number
  mostMs: number
}

const linkBackoff: BackoffLimits = { firstMs: 500, mostMs: 30_000 }

/** `attempt` counts the failures since the last success, from 0; `random` lies in [0, 1). Never less than half the first step. */
export function backoffMs(attempt: number, random: number, limits: BackoffLimits = linkBackoff): number {
  const ceiling = Math.min(limits.mostMs, limits.firstMs * 2 ** Math.min(attempt, 20))
  return Math.max(limits.firstMs / 2, Math.round(random * ceiling))
}

/**
 * Plans which idle sessions prune their logs (REB-3): logs that are too old or too large and, if all together are too large,
 * those that were quiet for longest. Pure.
 */
export interface StoredLog {
  sessionId: string
  bytes: number
  /** The time of its first event. */
  oldestAt: number
  /** When it was last written. */
  writtenAt: number
  /** It has events that may be removed, and no host that would do so. */
  prunable: boolean
}

export interface SweepRules {
  now: number
  keepMs: number
  keepSessionBytes: number
  keepAgentBytes: number
}

export interface Sweep {
  sessionId: string
  /** The size to reduce it to. */
  keepBytes: number
}

export function planSweep(logs: readonly StoredLog[], rules: SweepRules): Sweep[] {
  const { now, keepMs, keepSessionBytes, keepAgentBytes } = rules
  let total = logs.reduce((sum, { bytes }) => sum + bytes, 0)
  const quietFirst = logs.filter(({ prunable }) => prunable).sort((a, b) => a.writtenAt - b.writtenAt)
  return quietFirst.flatMap(({ sessionId, bytes, oldestAt }): Sweep[] => {
    if (total > keepAgentBytes) {
      total -= bytes
      return [{ sessionId, keepBytes: 0 }]
    }
    if (bytes <= keepSessionBytes && oldestAt >= now - keepMs) return []
    total -= Math.max(0, bytes - keepSessionBytes)
    return [{ sessionId, keepBytes: keepSessionBytes }]
  })
}

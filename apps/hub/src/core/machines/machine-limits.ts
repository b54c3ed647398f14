import { type AgentManifestPayload, MANIFEST_BYTES } from '@roundhouse/backend-types'

/**
 * What one machine may make the hub store. Each limit is far above what an honest machine needs. A machine that exceeds
 * one is refused with a code, and the audit log records it once a minute (BAD-4).
 */
export const machineLimits = {
  /** Sessions that it creates itself. After a restore of the hub these are all of its sessions; the others come later. */
  sessionsAtOnce: 2_000,
  sessionsPerMinute: 600,
  sessions: 20_000,
  /** Open at once. A request above the limit becomes a tombstone in the transcript. */
  requestsOfSession: 200,
  requestBytesOfSession: 4_194_304,
  requests: 1_000,
  requestBytes: 33_554_432,
  manifestBytes: MANIFEST_BYTES,
  titleChars: 200,
  wordChars: 200,
  pathChars: 4_096,
  sentenceChars: 4_096,
  roots: 256,
  /** Accounts and open blocks in memory. The session with the oldest news is forgotten first. */
  memoryBytes: 67_108_864,
} as const

/** Null if it is larger than any honest machine's. The previous manifest stays. */
export function boundManifest(manifest: AgentManifestPayload): AgentManifestPayload | null {
  return Buffer.byteLength(JSON.stringify(manifest)) <= machineLimits.manifestBytes ? manifest : null
}

/** Sessions that a machine creates itself: a burst, and then a rate per minute. */
export class SessionBudget {
  readonly #left = new Map<string, { tokens: number; at: number }>()

  takes(agentId: string, now: number): boolean {
    const { sessionsAtOnce, sessionsPerMinute } = machineLimits
    const { tokens, at } = this.#left.get(agentId) ?? { tokens: sessionsAtOnce, at: now }
    const grown = Math.min(sessionsAtOnce, tokens + (Math.max(0, now - at) * sessionsPerMinute) / 60_000)
    this.#left.set(agentId, { tokens: grown >= 1 ? grown - 1 : grown, at: now })
    return grown >= 1
  }
}

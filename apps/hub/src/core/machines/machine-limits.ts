import { type AgentManifestPayload, MANIFEST_BYTES } from '@roundhouse/backend-types'

/**
 * What one machine may make the hub keep. All of it is far beyond what an honest machine needs; a machine that is beyond
 * it is refused with a code, and the audit log says so once a minute (BAD-4).
 */
export const machineLimits = {
  /** Sessions that it makes by itself: after a hub was put back, all that it has. The others come later. */
  sessionsAtOnce: 2_000,
  sessionsPerMinute: 600,
  sessions: 20_000,
  /** Open at once. A question beyond that is a tombstone in the transcript. */
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
  /** Of accounts and open blocks, in memory. The session that was heard of longest ago is forgotten. */
  memoryBytes: 67_108_864,
} as const

/** Null where it is larger than any that an honest machine has: the one before stays. */
export function boundManifest(manifest: AgentManifestPayload): AgentManifestPayload | null {
  return Buffer.byteLength(JSON.stringify(manifest)) <= machineLimits.manifestBytes ? manifest : null
}

/** Sessions that a machine makes by itself: so many at once, and then so many a minute. */
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

/** How fast one peer may publish: in all, and on each topic (BUS-5.1). Pure: `now` is of a monotonic clock, in milliseconds. */
import { TokenBucket } from '@roundhouse/delivery'

export interface PaceLimits {
  messagesPerSecond: number
  messagesPerTopicPerSecond: number
}

export interface Exceeded {
  limit: number
  /** Null: the limit of the peer. */
  topic: string | null
  retryAfterMs: number
}

/** Topics that are counted at once. A peer that uses more begins again with all of them. */
const MOST_TOPICS = 256

const bucket = (perSecond: number, now: number) => new TokenBucket({ burst: perSecond, perSecond }, now)

export class PeerPace {
  readonly #limits: PaceLimits
  readonly #all: TokenBucket
  readonly #topics = new Map<string, TokenBucket>()

  constructor(limits: PaceLimits, now: number) {
    this.#limits = limits
    this.#all = bucket(limits.messagesPerSecond, now)
  }

  /** Null: it may. */
  take(topic: string, now: number): Exceeded | null {
    const exceeded = this.takeMore(1, now)
    if (exceeded) return exceeded
    const { messagesPerTopicPerSecond: limit } = this.#limits
    if (this.#topics.size >= MOST_TOPICS) this.#topics.clear()
    const ofTopic = this.#topics.get(topic) ?? bucket(limit, now)
    this.#topics.set(topic, ofTopic)
    const waitMs = ofTopic.take(1, now)
    return waitMs === 0 ? null : { limit, topic, retryAfterMs: waitMs ?? 1_000 }
  }

  /** So many more; no topic is charged. Null: it may. */
  takeMore(count: number, now: number): Exceeded | null {
    const waitMs = this.#all.take(count, now)
    return waitMs === 0 ? null : { limit: this.#limits.messagesPerSecond, topic: null, retryAfterMs: waitMs ?? 1_000 }
  }
}

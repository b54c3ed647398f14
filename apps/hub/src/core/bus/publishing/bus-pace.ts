/** Limits what one peer publishes: in all, and on each topic (BUS-5). Who exceeds a limit is slowed alone. */
import { busLimits } from '@roundhouse/backend-types'
import { TokenBucket } from '../../common/token-bucket'

export interface BusLimits {
  messagesPerSecond: number
  messagesPerTopicPerSecond: number
  messageBytes: number
}

export const defaultLimits: BusLimits = {
  messagesPerSecond: busLimits.messagesPerSecond,
  messagesPerTopicPerSecond: busLimits.messagesPerTopicPerSecond,
  messageBytes: busLimits.messageBytes,
}

export interface Exceeded {
  limit: number
  /** Null: the limit of the peer. */
  topic: string | null
  retryAfterMs: number
}

/** Topics of one peer that are counted at once. A peer that uses more begins again with all of them. */
const MOST_TOPICS = 256
const MOST_PEERS = 4_096

interface Pace {
  all: TokenBucket
  topics: Map<string, TokenBucket>
}

const bucket = (perSecond: number, now: number) => new TokenBucket({ burst: perSecond, perSecond }, now)

export class BusPace {
  readonly #limits: BusLimits
  readonly #peers = new Map<string, Pace>()

  constructor(limits: BusLimits) {
    this.#limits = limits
  }

  /** Null: it may. `now` is of a monotonic clock. */
  take(peerId: string, topic: string, now: number): Exceeded | null {
    const { messagesPerSecond, messagesPerTopicPerSecond } = this.#limits
    const pace = this.#paceOf(peerId, now)
    const waitMs = pace.all.take(1, now)
    if (waitMs !== 0) return { limit: messagesPerSecond, topic: null, retryAfterMs: waitMs ?? 1_000 }
    if (pace.topics.size >= MOST_TOPICS) pace.topics.clear()
    const ofTopic = pace.topics.get(topic) ?? bucket(messagesPerTopicPerSecond, now)
    pace.topics.set(topic, ofTopic)
    const topicMs = ofTopic.take(1, now)
    return topicMs === 0 ? null : { limit: messagesPerTopicPerSecond, topic, retryAfterMs: topicMs ?? 1_000 }
  }

  /** So many more than the one that was taken; no topic is charged. Null: it may. */
  takeMore(peerId: string, count: number, now: number): Exceeded | null {
    const waitMs = this.#paceOf(peerId, now).all.take(count, now)
    return waitMs === 0 ? null : { limit: this.#limits.messagesPerSecond, topic: null, retryAfterMs: waitMs ?? 1_000 }
  }

  #paceOf(peerId: string, now: number): Pace {
    const known = this.#peers.get(peerId)
    const pace = known ?? { all: bucket(this.#limits.messagesPerSecond, now), topics: new Map() }
    this.#peers.delete(peerId)
    this.#peers.set(peerId, pace)
    const [oldest] = this.#peers.keys()
    if (this.#peers.size > MOST_PEERS && oldest !== undefined) this.#peers.delete(oldest)
    return pace
  }
}

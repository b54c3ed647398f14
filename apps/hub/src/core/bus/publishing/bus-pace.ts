/** Limits what each peer publishes (BUS-5). Who exceeds a limit is slowed alone. */
import { busLimits } from '@roundhouse/backend-types'
import { type Exceeded, type PaceLimits, PeerPace } from '@roundhouse/bus'

export interface BusLimits extends PaceLimits {
  messageBytes: number
}

export const defaultLimits: BusLimits = {
  messagesPerSecond: busLimits.messagesPerSecond,
  messagesPerTopicPerSecond: busLimits.messagesPerTopicPerSecond,
  messageBytes: busLimits.messageBytes,
}

const MOST_PEERS = 4_096

export class BusPace {
  readonly #limits: BusLimits
  readonly #peers = new Map<string, PeerPace>()

  constructor(limits: BusLimits) {
    this.#limits = limits
  }

  /** Null: it may. `now` is of a monotonic clock. */
  take(peerId: string, topic: string, now: number): Exceeded | null {
    return this.#paceOf(peerId, now).take(topic, now)
  }

  /** So many more than the one that was taken; no topic is charged. Null: it may. */
  takeMore(peerId: string, count: number, now: number): Exceeded | null {
    return this.#paceOf(peerId, now).takeMore(count, now)
  }

  #paceOf(peerId: string, now: number): PeerPace {
    const pace = this.#peers.get(peerId) ?? new PeerPace(this.#limits, now)
    this.#peers.delete(peerId)
    this.#peers.set(peerId, pace)
    const [oldest] = this.#peers.keys()
    if (this.#peers.size > MOST_PEERS && oldest !== undefined) this.#peers.delete(oldest)
    return pace
  }
}

/** How often one person may ask something of machines, on all of the person's pages together. */
import { CodedError } from '@roundhouse/backend-types'
import { TokenBucket } from '@roundhouse/delivery'

/** How many people are remembered. The person who asked longest ago is forgotten first. */
const MOST_PEOPLE = 1_000

export class PersonPace {
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(
    private readonly limits: { burst: number; perSecond: number },
    /** Milliseconds of a monotonic clock. */
    private readonly elapsed: () => number,
  ) {}

  /** Throws `RATE_LIMITED`, with the time to wait. */
  require({ userId }: { userId: string }): void {
    const now = this.elapsed()
    const bucket = this.#buckets.get(userId) ?? new TokenBucket(this.limits, now)
    this.#buckets.delete(userId)
    this.#buckets.set(userId, bucket)
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size > MOST_PEOPLE && oldest !== undefined) this.#buckets.delete(oldest)
    const retryAfterMs = bucket.take(1, now)
    if (retryAfterMs !== 0) throw new CodedError('RATE_LIMITED', undefined, { retryAfterMs: retryAfterMs ?? 1_000 })
  }
}

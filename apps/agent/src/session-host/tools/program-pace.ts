/**
 * How fast the programs of a session publish: like any other peer, and so many bytes (BUS-5.7). What all sessions say reaches the bus
 * in one lane, so one that says too much would keep the others waiting.
 */
import { busLimits, CodedError } from '@roundhouse/backend-types'
import { PeerPace } from '@roundhouse/bus'
import { TokenBucket } from '@roundhouse/delivery'

export const BYTES_AT_ONCE = 4_194_304
export const BYTES_PER_SECOND = 1_048_576

export class ProgramPace {
  private readonly messages: PeerPace
  private readonly bytes: TokenBucket

  constructor(private readonly elapsed: () => number = () => performance.now()) {
    const now = elapsed()
    this.messages = new PeerPace(busLimits, now)
    this.bytes = new TokenBucket({ burst: BYTES_AT_ONCE, perSecond: BYTES_PER_SECOND }, now)
  }

  /** Throws how long to wait. */
  charge(topic: string, bytes: number): void {
    const now = this.elapsed()
    const exceeded = this.messages.take(topic, now)
    if (exceeded) throw tooFast(exceeded.retryAfterMs, { ...exceeded })
    const retryAfterMs = this.bytes.take(bytes, now)
    if (retryAfterMs !== 0) throw tooFast(retryAfterMs ?? 1_000, { bytesPerSecond: BYTES_PER_SECOND })
  }
}

function tooFast(retryAfterMs: number, details: Record<string, unknown>): CodedError {
  const seconds = Math.ceil(retryAfterMs / 100) / 10
  const words = `This session publishes more than it may, so this message was not published. Try again in ${seconds} s.`
  return new CodedError('RATE_LIMITED', words, { ...details, retryAfterMs })
}

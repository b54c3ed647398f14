/**
 * The one way from a link's frames to the core (FLOW-6). They begin in the order in which they came, as far as their budget
 * goes, in turns with the other links, and only a few are under way at once. When the link is gone, so is what waits.
 */
import { CodedError } from '@roundhouse/backend-types'
import { TokenBucket } from '../../core'
import type { FloodLimit, FrameRule, FrameRules } from './frame-budgets'
import type { Line, Turns } from './turns'

/** Their writes share a commit. */
const UNDER_WAY = 64

export interface LaneOptions {
  turns: Turns
  rules: FrameRules
  flood: FloodLimit
  /** It has sent more than any honest link does: the lane is closed, and takes nothing any more. */
  onFlood: () => void
  now?: () => number
}

interface Waiting {
  kind: string
  rule: FrameRule
  cost: number
  bytes: number
  /** Runs it and settles its answer. */
  begin(): Promise<void>
  refuse(error: CodedError): void
  /** A later one says all that it said. */
  supersede(): void
}

export class LinkLane implements Line {
  readonly #options: LaneOptions
  readonly #now: () => number
  readonly #queue: Waiting[] = []
  /** The waiting frame of each kind of which only the last one counts. */
  readonly #latest = new Map<string, Waiting>()
  readonly #levelsUnderWay = new Set<string>()
  readonly #buckets = new Map<string, TokenBucket>()
  readonly #frames: TokenBucket
  #waitingBytes = 0
  #underWay = 0
  #isAlone = false
  #closed = false
  #timer: NodeJS.Timeout | null = null

  constructor(options: LaneOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#frames = new TokenBucket(options.flood, this.#now())
  }

  /** What `work` gives; `{}` where a later frame took its place. Never settles once the lane is closed. */
  run(kind: string, frame: unknown, work: () => Promise<object>): Promise<object> {
    return new Promise((resolve, reject) => {
      if (!this.counts()) {
        reject(new CodedError('RATE_LIMITED'))
        return
      }
      const rule = this.#options.rules[kind]
      if (!rule) throw new Error(`no budget for ${kind}`)
      this.#put({
        kind,
        rule,
        cost: rule.cost?.(frame) ?? 1,
        bytes: 0,
        begin: async () => {
          try {
            const answer = await work()
            if (!this.#closed) resolve(answer)
          } catch (error) {
            if (!this.#closed) reject(error)
          }
        },
        refuse: reject,
        supersede: () => resolve({}),
      })
      this.#options.turns.offer(this)
      this.#weigh(frame, rule)
    })
  }

  /** False where that was one too many, or the lane is closed. */
  counts(cost = 1): boolean {
    if (this.#closed) return false
    if (this.#frames.take(cost, this.#now()) === 0) return true
    this.#flooded()
    return false
  }

  close(): void {
    this.#closed = true
    this.#queue.length = 0
    this.#latest.clear()
    this.#options.turns.withdraw(this)
    if (this.#timer) clearTimeout(this.#timer)
  }

  step(): boolean {
    if (this.#closed || this.#isAlone || this.#underWay >= UNDER_WAY) return false
    const next = this.#next()
    if (!next) return false
    this.#begin(next)
    return this.#latest.size + this.#queue.length > 0
  }

  #put(waiting: Waiting): void {
    if (!waiting.rule.level) {
      this.#queue.push(waiting)
      return
    }
    this.#latest.get(waiting.kind)?.supersede()
    this.#latest.set(waiting.kind, waiting)
  }

  /** What did not begin at once is held in memory. */
  #weigh(frame: unknown, { level }: FrameRule): void {
    const last = this.#queue.at(-1)
    if (level || !last || last.bytes > 0) return
    last.bytes = 100 + (JSON.stringify(frame)?.length ?? 0)
    this.#waitingBytes += last.bytes
    if (this.#waitingBytes > this.#options.flood.waitingBytes) this.#flooded()
  }

  #flooded(): void {
    this.close()
    this.#options.onFlood()
  }

  /** Taken from where it waited; its budget is charged. */
  #next(): Waiting | null {
    let soonestMs = Number.POSITIVE_INFINITY
    for (const [kind, waiting] of this.#latest) {
      if (this.#levelsUnderWay.has(kind)) continue
      const waitMs = this.#charge(waiting)
      if (waitMs === 0) {
        this.#latest.delete(kind)
        return waiting
      }
      soonestMs = Math.min(soonestMs, waitMs ?? soonestMs)
    }
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      const waitMs = this.#charge(first)
      if (waitMs !== null && waitMs > 0) {
        soonestMs = Math.min(soonestMs, waitMs)
        break
      }
      this.#queue.shift()
      this.#waitingBytes -= first.bytes
      if (waitMs === 0) return first
      first.refuse(new CodedError('RATE_LIMITED', `${first.kind} is said once on a connection.`))
    }
    this.#offerAfter(soonestMs)
    return null
  }

  /** As `TokenBucket.take`. */
  #charge({ kind, rule, cost }: Waiting): number | null {
    const now = this.#now()
    const bucket = this.#buckets.get(kind) ?? new TokenBucket(rule, now)
    this.#buckets.set(kind, bucket)
    return bucket.take(cost, now)
  }

  #begin(waiting: Waiting): void {
    const { kind, rule } = waiting
    this.#underWay += 1
    this.#isAlone = rule.alone === true
    if (rule.level) this.#levelsUnderWay.add(kind)
    void waiting.begin().then(() => {
      this.#underWay -= 1
      if (rule.alone) this.#isAlone = false
      this.#levelsUnderWay.delete(kind)
      if (!this.#closed && this.#latest.size + this.#queue.length > 0) this.#options.turns.offer(this)
    })
  }

  #offerAfter(ms: number): void {
    if (ms === Number.POSITIVE_INFINITY || this.#timer) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#options.turns.offer(this)
    }, ms)
    this.#timer.unref()
  }
}

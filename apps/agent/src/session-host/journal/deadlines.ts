/** The longest timer of Node: a longer one fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface Deadline {
  id: string
  /** In ms of the machine's clock. */
  at: number
  /** The longest time until this deadline. */
  atMostMs?: number
}

/**
 * Fires when the first of several deadlines passes. Two clocks measure each deadline: the machine's clock, which can be
 * set and runs while the machine sleeps, and a monotonic clock, which stops during sleep. The clock that reaches the
 * deadline first counts.
 */
export class Deadlines {
  private deadlines: readonly Deadline[] = []
  /** In ms of `elapsed`. */
  private ends = new Map<string, number>()
  private timer: NodeJS.Timeout | null = null

  /** `longestMs` is the longest time between two checks, because a timer does not notice that a clock is set. */
  constructor(
    private readonly now: () => number,
    private readonly ring: () => void,
    private readonly longestMs: number,
    private readonly elapsed = () => performance.now(),
  ) {}

  /** Replaces the deadlines. One that was there before keeps its first time of measurement. */
  set(deadlines: readonly Deadline[]): void {
    this.dispose()
    this.deadlines = deadlines
    this.ends = new Map(deadlines.map((one) => [one.id, this.ends.get(one.id) ?? this.endOf(one)]))
    if (deadlines.length === 0) return
    const left = Math.max(0, Math.min(...deadlines.map((one) => this.left(one))))
    this.timer = setTimeout(this.ring, Math.min(left, this.longestMs))
    this.timer.unref()
  }

  isOver(id: string): boolean {
    const deadline = this.deadlines.find((one) => one.id === id)
    return deadline !== undefined && this.left(deadline) <= 0
  }

  dispose(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }

  private endOf({ at, atMostMs = Number.POSITIVE_INFINITY }: Deadline): number {
    return this.elapsed() + Math.min(atMostMs, at - this.now())
  }

  private left({ id, at }: Deadline): number {
    return Math.min(at - this.now(), (this.ends.get(id) ?? 0) - this.elapsed())
  }
}

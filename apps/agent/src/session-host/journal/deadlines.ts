/** Node's timers take no more: a longer one rings at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface Deadline {
  id: string
  /** In ms of the machine's clock. */
  at: number
  /** It is never further away than this. */
  atMostMs?: number
}

/**
 * Rings when the first of several deadlines has come. Two clocks measure them: the machine's, which somebody may set and which
 * goes on while the machine sleeps, and one that nobody sets and that sleeps too. The first that has run out counts.
 */
export class Deadlines {
  private deadlines: readonly Deadline[] = []
  /** In ms of `elapsed`. */
  private ends = new Map<string, number>()
  private timer: NodeJS.Timeout | null = null

  /** `longestMs`: it rings after so long at the latest, since a timer does not see how a clock is set. */
  constructor(
    private readonly now: () => number,
    private readonly ring: () => void,
    private readonly longestMs: number,
    private readonly elapsed = () => performance.now(),
  ) {}

  /** In the place of those before. One that was there is measured from the first time. */
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

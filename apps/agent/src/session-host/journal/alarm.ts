/** Node's timers take no more: a longer one rings at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Rings when the first of several moments of the clock has come. Timers stand still while a machine sleeps, clocks do not,
 * so it may ring too early: whoever hears it looks at the clock, and sets it anew.
 */
export class Alarm {
  private timer: NodeJS.Timeout | null = null

  /** `longestMs`: it rings after so long at the latest. */
  constructor(
    private readonly now: () => number,
    private readonly ring: () => void,
    private readonly longestMs: number,
  ) {}

  /** In the place of what it was set to before; without a moment it is silent. */
  set(moments: readonly number[]): void {
    this.dispose()
    if (moments.length === 0) return
    const left = Math.max(0, Math.min(...moments) - this.now())
    this.timer = setTimeout(this.ring, Math.min(left, this.longestMs))
    this.timer.unref()
  }

  dispose(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }
}

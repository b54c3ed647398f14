/** RES-3: a session that wants it is resumed by itself after a crash, three times at most, until a turn completes. */
const waitsMs = [1_000, 4_000, 16_000] as const

export class Resumer {
  private attempts = 0
  private timer: NodeJS.Timeout | null = null

  /** `resume` resolves to whether the backend runs again. */
  constructor(private readonly resume: () => Promise<boolean>) {}

  later(): void {
    const wait = waitsMs[this.attempts]
    if (wait === undefined || this.timer) return
    this.attempts += 1
    this.timer = setTimeout(() => {
      this.timer = null
      void this.resume().then((runs) => {
        if (!runs) this.later()
      })
    }, wait)
  }

  reset(): void {
    this.attempts = 0
  }

  dispose(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }
}

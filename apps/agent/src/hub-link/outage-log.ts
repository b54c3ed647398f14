/** Logs why there is no connection: each reason when it appears, and once a minute while it lasts. */

const AGAIN_MS = 60_000

export class OutageLog {
  private reason = ''
  private toldAt = 0

  constructor(
    private readonly log: (line: string) => void,
    private readonly elapsed: () => number = () => performance.now(),
  ) {}

  failed(reason: string, pauseMs: number): void {
    const isOld = reason === this.reason && this.elapsed() - this.toldAt < AGAIN_MS
    if (isOld) return
    this.reason = reason
    this.toldAt = this.elapsed()
    this.log(`not connected: ${reason}; next attempt in ${(pauseMs / 1000).toFixed(1)} s`)
  }

  /** The next time is the first time again. */
  over(): void {
    this.reason = ''
  }
}

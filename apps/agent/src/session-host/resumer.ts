/**
 * RES-3: a session that wants it is resumed by itself after a crash, three times at most, until a turn completes. The tries
 * are counted on the disk, because the host may be what crashes.
 */
import { mostResumeTries } from '../log/resume-tries'

const waitsMs = [1_000, 4_000, 16_000] as const

export interface ResumeTries {
  read(): number
  write(tries: number): void
}

export class Resumer {
  private timer: NodeJS.Timeout | null = null

  /** `resume` resolves to whether the backend runs again. */
  constructor(
    private readonly resume: () => Promise<boolean>,
    private readonly tries: ResumeTries,
  ) {}

  later(): void {
    const tries = this.tries.read()
    const wait = tries < mostResumeTries ? waitsMs[tries] : undefined
    if (wait === undefined || this.timer) return
    this.timer = setTimeout(() => {
      this.timer = null
      this.tries.write(tries + 1)
      void this.resume().then((runs) => {
        if (!runs) this.later()
      })
    }, wait)
  }

  reset(): void {
    if (this.tries.read() > 0) this.tries.write(0)
  }

  dispose(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }
}

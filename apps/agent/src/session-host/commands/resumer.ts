/** RES-3: begins the resume attempt that the log asks for, at its time and while this host may start programs. */
import { type ResumeWish, waitOf } from '../../log/resume-wish'

const AGAIN_MS = 1_000

export interface ResumerPorts {
  wish(): ResumeWish
  hasPlace(): boolean
  now(): number
  /** Returns false if another start of the program is about to happen. If it does not happen, this is called again. */
  resume(): boolean
}

export class Resumer {
  private timer: NodeJS.Timeout | null = null

  constructor(private readonly ports: ResumerPorts) {}

  /** Looks again after the wish or this host's place changed. */
  look(soonestMs = 0): void {
    this.dispose()
    const wish = this.ports.wish()
    if (wish.phase !== 'waits' || !this.ports.hasPlace()) return
    this.timer = setTimeout(() => this.fire(), Math.max(soonestMs, waitOf(wish.at, this.ports.now())))
  }

  dispose(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }

  private fire(): void {
    this.timer = null
    if (this.ports.wish().phase === 'waits' && this.ports.hasPlace() && !this.ports.resume()) this.look(AGAIN_MS)
  }
}

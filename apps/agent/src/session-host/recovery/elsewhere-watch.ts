/**
 * Decides when a running host looks for turns that were made elsewhere (RES-9): from time to time while nothing runs,
 * and before each prompt, which waits for the result. A program that does not know of such turns is restarted and then
 * continues from them.
 */
import type { Elsewhere } from './elsewhere'

const LOOK_EVERY_MS = 3_000

export interface WatchPorts {
  elsewhere: Elsewhere
  /** The conversation continued elsewhere. */
  found(): void
  surprised(error: unknown): void
}

export class ElsewhereWatch {
  private timer: NodeJS.Timeout | null = null
  private lookedFor = ''

  constructor(private readonly ports: WatchPorts) {}

  start(): void {
    this.timer ??= setInterval(() => {
      if (this.ports.elsewhere.isDue) void this.look()
    }, LOOK_EVERY_MS).unref()
  }

  /** Null if there is nothing to wait for. A transcript that is being written delays a prompt once. */
  before(promptId: string): Promise<void> | null {
    const { elsewhere } = this.ports
    if (elsewhere.isLooking) return this.look()
    if (this.lookedFor === promptId || !elsewhere.isDue) return null
    this.lookedFor = promptId
    return this.look()
  }

  dispose(): void {
    if (this.timer) clearInterval(this.timer)
    this.timer = null
  }

  private async look(): Promise<void> {
    try {
      if (await this.ports.elsewhere.look()) this.ports.found()
    } catch (error) {
      this.ports.surprised(error)
    }
  }
}

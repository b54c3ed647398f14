/**
 * Prompts that were written into a running turn. The program reads one at once and begins with it later: behind the tool that
 * runs, or as a turn of its own where this one ends first, also by an interrupt. It says so by `command_lifecycle` (measured
 * with 2.1.330): queued, started, completed, or cancelled where it was taken back by `cancel_async_message`.
 */
import type { CodedError } from '@roundhouse/backend-types'
import { type Frame, textAt } from './frames'

interface Waiting {
  begins(): void
  resolve(taken: boolean): void
  reject(error: CodedError): void
}

export class Steers {
  /** By the `uuid` of their frames. */
  private readonly waiting = new Map<string, Waiting>()
  private isTold = false

  /** False: this version says nothing of its prompts. */
  get areTold(): boolean {
    return this.isTold
  }

  /** Those that the program has not begun with. */
  get untaken(): string[] {
    return [...this.waiting.keys()]
  }

  /**
   * True: the program has begun with it. False: it has it no more. Rejects where nobody knows. `begins`: called in the
   * order of the frames. Whoever waits for the promise reads the next frames first. Without a `uuid`, nothing is told of it.
   */
  async sent(uuid: string | undefined, begins: () => void): Promise<boolean> {
    if (uuid === undefined) {
      begins()
      return true
    }
    return new Promise((resolve, reject) => this.waiting.set(uuid, { begins, resolve, reject }))
  }

  /** Before the frame is translated. `beginsTurn`: called before anybody hears that a prompt was taken. */
  heard(frame: Frame, beginsTurn: () => void): void {
    if (frame.type !== 'command_lifecycle') return
    this.isTold = true
    const uuid = textAt(frame, 'command_uuid') ?? ''
    const state = textAt(frame, 'state')
    const waiting = this.waiting.get(uuid)
    if (!waiting || state === 'queued') return
    this.waiting.delete(uuid)
    if (state === 'started') beginsTurn()
    if (state !== 'cancelled') waiting.begins()
    waiting.resolve(state !== 'cancelled')
  }

  rejectAll(error: CodedError): void {
    for (const { reject } of this.waiting.values()) reject(error)
    this.waiting.clear()
  }
}

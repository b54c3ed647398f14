/**
 * Whether the program has begun with the prompt that was written. It answers what ended in the background in turns of its
 * own, also between a prompt and the turn of that prompt, and the results of both look the same (measured with 2.1.330). For
 * a prompt with a `uuid` it reports `command_lifecycle`: queued, started, then completed or cancelled. Of a version that
 * reports nothing the first result counts.
 */
import { type Frame, textAt } from '../wire/frames'

export class PromptStart {
  private isTold = false
  private waitsFor: string | undefined

  sent(uuid: string | undefined): void {
    this.waitsFor = uuid
  }

  /** True: the program has dropped the prompt, and no result will come. */
  heard(frame: Frame): boolean {
    this.isTold = true
    const state = textAt(frame, 'state')
    if (this.waitsFor === undefined || textAt(frame, 'command_uuid') !== this.waitsFor || state === 'queued')
      return false
    this.waitsFor = undefined
    return state === 'cancelled'
  }

  /** What ends meanwhile is another turn. */
  get isPending(): boolean {
    return this.isTold && this.waitsFor !== undefined
  }
}

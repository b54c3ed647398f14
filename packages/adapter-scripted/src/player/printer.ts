/**
 * Prints frames on stdout and waits while nobody reads them, so that a flood is held back by its reader. A finished block
 * goes into the conversation first, then into the ground truth, and only then out.
 */
import type { Writable } from 'node:stream'
import type { BackendOutput } from '@roundhouse/backend-types'
import { failpoint } from '@roundhouse/failpoint'
import type { FromPlayer } from '../script/frames'
import { toOutput } from '../script/translate'
import type { Truth } from './truth'

export class Printer {
  private truth: Truth | null = null
  private onBlocks: (outputs: BackendOutput[]) => void = () => undefined

  constructor(private readonly stdout: Writable) {}

  recordInto(truth: Truth): void {
    this.truth = truth
  }

  onFinishedBlocks(handler: (outputs: BackendOutput[]) => void): void {
    this.onBlocks = handler
  }

  async frames(turn: number, frames: FromPlayer[]): Promise<void> {
    const blocks = frames.flatMap((frame) => toOutput(frame) ?? []).filter((output) => output.kind !== 'tool_progress')
    if (blocks.length > 0) {
      this.onBlocks(blocks)
      this.truth?.write(turn, blocks)
      failpoint('scripted.afterRecord.beforePrint')
    }
    await this.text(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''))
  }

  text(text: string): Promise<void> {
    // The callback also comes with an error: the reader is gone, and the end of stdin will say so.
    return new Promise((resolve) => this.stdout.write(text, () => resolve()))
  }
}

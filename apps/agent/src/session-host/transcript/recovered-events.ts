/**
 * Turns what a dead host left unreported of its last process into events in their original order: outputs that only the
 * backend's transcript has (`recovered`), and blocks that only the spool has (`partial`, LOG-5). A spooled block that
 * the transcript has finished becomes one event. Pure.
 */
import type { SessionEvent } from '@roundhouse/backend-types'
import type { SpooledBlock } from '../journal/spool'
import { partialEvents } from '../output/partial-events'
import type { RecoverableOutput } from './recovered'

export interface LeftUnsaid {
  procId: string
  turnId: string | null
  /** The last number on disk. */
  head: number
  outputs: readonly RecoverableOutput[]
  blocks: readonly SpooledBlock[]
  /** Applies the log's redaction to a text; the spool holds redacted texts. */
  clean(text: string): string
}

export function unsaidEvents({ procId, turnId, head, outputs, blocks, clean }: LeftUnsaid): SessionEvent[] {
  const cutShort = [...blocks]
  const place = { procId, ...(turnId === null ? {} : { turnId }), recovered: true }
  const events = outputs.map((output): SessionEvent => {
    if (output.kind !== 'assistant_text' && output.kind !== 'thinking') return { ...output, ...place }
    const at = cutShort.findIndex((block) => isFinishedBy(block, output, clean))
    const [block] = at < 0 ? [] : cutShort.splice(at, 1)
    return { ...output, ...place, ...(block ? { blockId: block.blockId } : {}) }
  })
  for (const block of cutShort.reverse()) {
    // Events between the head and this block's beginning had numbers and did not reach the disk: they are recovered
    // ones.
    const before = Math.max(0, block.afterSeq - head)
    events.splice(Math.min(before, outputs.length), 0, ...partialEvents([block]))
  }
  return events
}

function isFinishedBy(
  block: SpooledBlock,
  output: Extract<RecoverableOutput, { kind: 'assistant_text' | 'thinking' }>,
  clean: (text: string) => string,
): boolean {
  if (block.kind !== output.kind || block.parentCallId !== output.parentCallId) return false
  if (output.blockId !== undefined) return output.blockId === block.blockId
  return block.text !== '' && clean(output.text).startsWith(block.text)
}

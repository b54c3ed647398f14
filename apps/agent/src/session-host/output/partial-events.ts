/** Turns unfinished blocks into events with the text written so far (LOG-5). Tool progress is only for watching. */
import type { SessionEvent } from '@roundhouse/backend-types'
import type { SpooledBlock } from '../journal/spool'

export function partialEvents(blocks: readonly SpooledBlock[]): SessionEvent[] {
  return blocks.flatMap(({ kind, blockId, procId, turnId, parentCallId, text }): SessionEvent[] => {
    if (kind === 'tool_progress' || text === '') return []
    return [
      {
        kind,
        procId,
        ...(turnId === undefined ? {} : { turnId }),
        ...(parentCallId === undefined ? {} : { parentCallId }),
        blockId,
        text,
        partial: true,
      },
    ]
  })
}

import type { LiveFrame } from '@roundhouse/backend-types'
import type { GrowingBlock } from './plan-step'

/** What the program is writing to people now. Null: nothing, or its beginning is not here any more. Pure. */
export function growingBlockOf(frames: readonly LiveFrame[]): GrowingBlock | null {
  const own = frames.filter(({ kind, parentCallId }) => kind === 'assistant_text' && parentCallId === undefined)
  const blockId = own.at(-1)?.blockId
  if (blockId === undefined) return null
  const ofBlock = own.filter((frame) => frame.blockId === blockId)
  if (ofBlock[0]?.offset !== 0) return null
  return { blockId, text: ofBlock.map(({ text }) => text).join('') }
}

/**
 * Live text (LOG-5) that fits frames of the link. Of one piece more than anybody keeps, its end is told: whoever lacks what is
 * before asks for the block, and is answered with its end as well.
 */
import type { LiveFrame } from '@roundhouse/backend-types'
import { blockTextLimit } from '../events/live-blocks'
import { endOf, jsonBytes, piecesOf } from './json-bytes'

/** As many as a hub takes at once. */
const MOST_FRAMES = 256
/** Of the text of a frame; what is beside it has room in what is left. */
const PIECE_BYTES = 0.8

/** Groups of at most half a frame each. */
export function fittingLive(frames: readonly LiveFrame[], frameBytes: number): LiveFrame[][] {
  const room = frameBytes / 2
  const groups: LiveFrame[][] = []
  let left = 0
  for (const frame of frames.flatMap((one) => partsOf(one, room * PIECE_BYTES))) {
    const bytes = jsonBytes(frame) + 1
    const group = groups.at(-1)
    if (group && bytes <= left && group.length < MOST_FRAMES) {
      group.push(frame)
      left -= bytes
    } else {
      groups.push([frame])
      left = room - bytes
    }
  }
  return groups
}

function partsOf(frame: LiveFrame, bytes: number): LiveFrame[] {
  if (frame.text.length * 6 <= bytes) return [frame]
  const from = Math.max(0, frame.text.length - blockTextLimit)
  let offset = frame.offset + from
  return piecesOf(frame.text.slice(from), bytes).map((text) => {
    const part = { ...frame, offset, text }
    offset += text.length
    return part
  })
}

/** The answer to the question for a block: its text reaches to the block's end. */
export function fittingBlock(block: { text: string; length: number }, frameBytes: number): typeof block {
  return { ...block, text: endOf(block.text.slice(-blockTextLimit), frameBytes / 2) }
}

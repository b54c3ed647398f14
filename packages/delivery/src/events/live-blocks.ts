/**
 * The text of blocks that are still being written (LOG-5). Live frames may be lost, doubled or late: a frame that does
 * not fit makes the receiver ask for the text from where it stands. The finished event replaces the block, and frames of
 * a finished block are dropped. The hub keeps its open blocks by the same functions.
 */
import type { LiveFrame, SessionEvent, SessionEventOf } from '@roundhouse/backend-types'

export interface LiveBlock {
  readonly blockId: string
  readonly procId: string
  readonly kind: LiveFrame['kind']
  readonly turnId?: string | undefined
  readonly parentCallId?: string | undefined
  readonly callId?: string | undefined
  readonly afterSeq: number
  /** Where `text` begins in the whole block; above 0 where only the end is kept. */
  readonly from: number
  readonly text: string
  /** Frames are let pass until the answer to our question is here. */
  readonly asking: boolean
}

export interface LiveBlocks {
  /** In the order in which they began. */
  readonly open: readonly LiveBlock[]
  /** Blocks that closed, the latest last: their late frames are dropped. */
  readonly closed: readonly string[]
  /** Every block that began before this number is over, but for those that may outlive their turn. */
  readonly floor: number
  /** The same of all blocks: the process that wrote them is over. */
  readonly processFloor: number
}

/** UTF-16 units kept of one block, and how many blocks of one session. */
export const blockTextLimit = 262_144
export const openBlockLimit = 64
const closedLimit = 256

export function emptyBlocks(): LiveBlocks {
  return { open: [], closed: [], floor: 0, processFloor: 0 }
}

export function lengthOf(block: LiveBlock): number {
  return block.from + block.text.length
}

export interface FrameApplied {
  blocks: LiveBlocks
  /** Ask the sender for this block's text from `from` on: the answer to `applyText`, or that none came to `withoutAnswer`. */
  ask: { blockId: string; from: number } | null
}

export function applyFrame(blocks: LiveBlocks, frame: LiveFrame): FrameApplied {
  const { blockId } = frame
  const floor = outlivesTurns(frame) ? blocks.processFloor : blocks.floor
  if (frame.afterSeq < floor || blocks.closed.includes(blockId)) return { blocks, ask: null }
  if (frame.discarded) return { blocks: close(blocks, (block) => block.blockId === blockId, [blockId]), ask: null }
  const block = blocks.open.find((open) => open.blockId === blockId) ?? begin(frame)
  if (block.asking) return { blocks, ask: null }
  const length = lengthOf(block)
  if (frame.offset > length) {
    return { blocks: put(blocks, { ...block, asking: true }), ask: { blockId, from: length } }
  }
  return { blocks: put(blocks, append(block, frame.text.slice(length - frame.offset))), ask: null }
}

/** The answer to `ask`. Its `from` may be later than was asked: the sender keeps only the end of a long block. */
export function applyText(blocks: LiveBlocks, answer: { blockId: string; from: number; text: string }): LiveBlocks {
  const block = blocks.open.find((open) => open.blockId === answer.blockId)
  if (!block) return blocks
  const length = lengthOf(block)
  const heard = { ...block, asking: false }
  if (answer.from > length) return put(blocks, append({ ...heard, from: answer.from, text: '' }, answer.text))
  return put(blocks, append(heard, answer.text.slice(length - answer.from)))
}

/** No answer came, or none that says anything: the next frame that does not fit asks anew. */
export function withoutAnswer(blocks: LiveBlocks, blockId: string): LiveBlocks {
  const block = blocks.open.find((open) => open.blockId === blockId)
  return block?.asking ? put(blocks, { ...block, asking: false }) : blocks
}

/** Takes out what an event of the log ends. */
export function closeBlocks(blocks: LiveBlocks, event: SessionEvent, seq: number): LiveBlocks {
  switch (event.kind) {
    case 'assistant_text':
    case 'thinking': {
      const { blockId } = event
      return blockId === undefined ? blocks : close(blocks, (block) => block.blockId === blockId, [blockId])
    }
    // What a command in the background tells began behind the answer of its call, and may come first.
    case 'tool_result':
      return close(blocks, (block) => block.callId === event.callId && block.afterSeq < seq, [])
    case 'system': {
      const callId = endedCall(event)
      return callId === null ? blocks : close(blocks, (block) => block.callId === callId && block.afterSeq < seq, [])
    }
    // What a helper writes that the turn waited for is closed by its own event before (LOG-5); others write on.
    case 'turn_completed': {
      const own = close(blocks, (block) => block.afterSeq < seq && !outlivesTurns(block), [])
      return { ...own, floor: Math.max(blocks.floor, seq) }
    }
    case 'process_exited':
    case 'session_ended': {
      const floor = Math.max(blocks.floor, seq)
      return { ...close(blocks, (block) => block.afterSeq < seq, []), floor, processFloor: floor }
    }
    default:
      return blocks
  }
}

/** What a helper writes, and what a command in the background tells: its frames name no turn. */
function outlivesTurns({ kind, turnId, parentCallId }: Pick<LiveFrame, 'kind' | 'turnId' | 'parentCallId'>): boolean {
  return parentCallId !== undefined || (kind === 'tool_progress' && turnId === undefined)
}

/** The call whose task in the background is over. */
function endedCall({ subtype, data }: SessionEventOf<'system'>): unknown {
  if (subtype !== 'background_finished' && subtype !== 'background_ended') return null
  return (data as { callId?: unknown } | null)?.callId ?? null
}

function begin(frame: LiveFrame): LiveBlock {
  const { blockId, procId, kind, turnId, parentCallId, callId, afterSeq } = frame
  return { blockId, procId, kind, turnId, parentCallId, callId, afterSeq, from: 0, text: '', asking: false }
}

function append(block: LiveBlock, more: string): LiveBlock {
  const text = block.text + more
  const cut = Math.max(0, text.length - blockTextLimit)
  return { ...block, text: cut > 0 ? text.slice(cut) : text, from: block.from + cut }
}

function put(blocks: LiveBlocks, block: LiveBlock): LiveBlocks {
  const known = blocks.open.some((open) => open.blockId === block.blockId)
  if (known) return { ...blocks, open: blocks.open.map((open) => (open.blockId === block.blockId ? block : open)) }
  return { ...blocks, open: [...blocks.open, block].slice(-openBlockLimit) }
}

function close(blocks: LiveBlocks, ends: (block: LiveBlock) => boolean, also: string[]): LiveBlocks {
  const ended = blocks.open.filter(ends).map((block) => block.blockId)
  const closed = [...new Set([...blocks.closed, ...ended, ...also])].slice(-closedLimit)
  return { ...blocks, open: blocks.open.filter((block) => !ends(block)), closed }
}

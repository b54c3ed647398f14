/**
 * Which finished block ends which live one (LOG-5).
 *
 * With partial messages on, one API message comes twice: as stream events that number its blocks, and as several
 * `assistant` frames of the same `message.id`, one finished block each and without a number. They arrive in the order of
 * the blocks, so the finished block is the first open one of its kind. A message that is cut short never finishes: the
 * CLI says so (`abandoned_blocks`, from 2.1.330 on) or simply starts another one; either way its open blocks are discarded.
 */
import type { LiveDelta } from '@roundhouse/backend-types'
import { compact, type Frame, numberAt, recordAt, textAt } from '../wire/frames'

type Kind = LiveDelta['kind']

interface Block {
  blockId: string
  index: number
  kind: Kind
  /** `empty` until the first text; only a `live` block can be finished or discarded. */
  state: 'empty' | 'live' | 'finished' | 'discarded'
}

interface Stream {
  messageId: string
  parentCallId: string | undefined
  blocks: Block[]
}

const TOP = ''

export class LiveBlocks {
  private readonly streams = new Map<string, Stream>()
  private count = 0

  /** `prefix` keeps the ids of two spawns of one session apart. */
  constructor(private readonly prefix: string) {}

  /** A `stream_event` frame -> what viewers are to be told. */
  stream(frame: Frame): LiveDelta[] {
    const event = recordAt(frame, 'event')
    const parentCallId = textAt(frame, 'parent_tool_use_id')
    const stream = this.streams.get(parentCallId ?? TOP)
    switch (textAt(event, 'type')) {
      case 'message_start': {
        const discarded = this.discard(parentCallId)
        const messageId = textAt(recordAt(event, 'message'), 'id') ?? ''
        this.streams.set(parentCallId ?? TOP, { messageId, parentCallId, blocks: [] })
        return discarded
      }
      case 'content_block_start': {
        const block = recordAt(event, 'content_block')
        const kind = kindOf(textAt(block, 'type'))
        if (!stream || !kind) return []
        stream.blocks.push({ blockId: this.nextId(), index: numberAt(event, 'index') ?? -1, kind, state: 'empty' })
        return grow(stream, numberAt(event, 'index'), textAt(block, kind === 'thinking' ? 'thinking' : 'text'))
      }
      case 'content_block_delta': {
        const delta = recordAt(event, 'delta')
        return stream ? grow(stream, numberAt(event, 'index'), textAt(delta, 'text') ?? textAt(delta, 'thinking')) : []
      }
      case 'message_stop': {
        const from = numberAt(recordAt(frame, 'abandoned_blocks'), 'from_block_index')
        return stream && from !== undefined ? discardBlocks(stream, from) : []
      }
      default:
        return []
    }
  }

  /**
   * A finished block. A message that is not the streamed one is what the CLI got another way after the stream broke.
   */
  finish(
    parentCallId: string | undefined,
    messageId: string,
    kind: Kind,
  ): { blockId?: string; discarded: LiveDelta[] } {
    const stream = this.streams.get(parentCallId ?? TOP)
    if (!stream) return { discarded: [] }
    if (stream.messageId !== messageId) return { discarded: discardBlocks(stream, 0) }
    const block = stream.blocks.find((candidate) => candidate.kind === kind && candidate.state === 'live')
    if (!block) return { discarded: [] }
    block.state = 'finished'
    return { blockId: block.blockId, discarded: [] }
  }

  /** Whatever is still open in the stream of this (sub-)agent will not be finished. */
  discard(parentCallId: string | undefined): LiveDelta[] {
    const stream = this.streams.get(parentCallId ?? TOP)
    return stream ? discardBlocks(stream, 0) : []
  }

  private nextId(): string {
    this.count += 1
    return `${this.prefix}-${this.count}`
  }
}

function kindOf(type: string | undefined): Kind | undefined {
  if (type === 'text') return 'assistant_text'
  return type === 'thinking' ? 'thinking' : undefined
}

function grow(stream: Stream, index: number | undefined, text: string | undefined): LiveDelta[] {
  const block = stream.blocks.find((candidate) => candidate.index === index)
  if (!block || !text || (block.state !== 'empty' && block.state !== 'live')) return []
  block.state = 'live'
  return [compact({ blockId: block.blockId, kind: block.kind, text, parentCallId: stream.parentCallId })]
}

function discardBlocks(stream: Stream, fromIndex: number): LiveDelta[] {
  const open = stream.blocks.filter((block) => block.index >= fromIndex && block.state === 'live')
  return open.map((block) => {
    block.state = 'discarded'
    const { blockId, kind } = block
    return compact({ blockId, kind, text: '', parentCallId: stream.parentCallId, discarded: true })
  })
}

/**
 * Blocks that are being written. A finished block carries the id under which its pieces were streamed, and its text
 * equals those pieces joined (LOG-5). A text that its turn left unfinished is finished with what was seen of it, as Codex
 * keeps it; its record has nothing of such thoughts, so they are the host's, as a part. Nor has it anything of a text that
 * a steer cuts off, which is told as a part. A block whose attempt is repeated is discarded.
 */
import { type Effect, nested, output } from './effects'

type Kind = 'assistant_text' | 'thinking'

interface Block {
  kind: Kind
  threadId: string
  text: string
  parentCallId: string | undefined
  /** Thoughts stream as summary or as raw content; the first that comes decides which one is shown. */
  source: string
  /** The part of the source that was written last. Parts are set apart by an empty line. */
  part: number
}

export interface Piece {
  itemId: string
  kind: Kind
  threadId: string
  parentCallId: string | undefined
  text: string
  source?: string
  part?: number
}

export class Blocks {
  private readonly open = new Map<string, Block>()

  add(piece: Piece): Effect[] {
    const { itemId, kind, threadId, parentCallId } = piece
    const source = piece.source ?? 'text'
    const part = piece.part ?? 0
    const block = this.open.get(itemId) ?? { kind, threadId, parentCallId, text: '', source, part }
    this.open.set(itemId, block)
    if (block.source !== source || piece.text === '') return []
    const text = part !== block.part && block.text !== '' ? `\n\n${piece.text}` : piece.text
    block.part = part
    block.text += text
    return [{ type: 'live', delta: { blockId: itemId, kind, text, ...nested(parentCallId) } }]
  }

  /** The source of the thoughts that were streamed under this id, if any were. */
  sourceOf(itemId: string): string | undefined {
    return this.open.get(itemId)?.source
  }

  finish(itemId: string, kind: Kind, text: string, parentCallId: string | undefined): Effect[] {
    const block = this.open.get(itemId)
    this.open.delete(itemId)
    const streamed = block !== undefined && block.text !== ''
    if (text === '') return streamed ? [discarded(itemId, block)] : []
    return [output({ kind, text, ...(streamed ? { blockId: itemId } : {}), ...nested(parentCallId) })]
  }

  /** The turn of this thread ended: what was shown stays. */
  finishAll(threadId: string): Effect[] {
    return this.of(threadId).flatMap(([itemId, { kind, text, parentCallId }]) =>
      this.finish(itemId, kind, text, parentCallId),
    )
  }

  /** The model is asked with another text of the person: what it was writing until then goes no further. */
  breakOff(threadId: string): Effect[] {
    return this.of(threadId).flatMap(([blockId, { kind, text, parentCallId }]) => {
      this.open.delete(blockId)
      return text === '' ? [] : [output({ kind, text, blockId, partial: true, ...nested(parentCallId) })]
    })
  }

  /** The turn of the main thread ends: what it left of thoughts was never finished. */
  leaveThoughts(threadId: string): void {
    for (const [itemId, { kind }] of this.of(threadId)) if (kind === 'thinking') this.open.delete(itemId)
  }

  /** The model is asked again: what it had begun to say is taken back. */
  discardAll(threadId: string): Effect[] {
    return this.of(threadId).flatMap(([itemId, block]) => {
      this.open.delete(itemId)
      return block.text === '' ? [] : [discarded(itemId, block)]
    })
  }

  private of(threadId: string): Array<[string, Block]> {
    return [...this.open].filter(([, block]) => block.threadId === threadId)
  }
}

function discarded(blockId: string, { kind, parentCallId }: Block): Effect {
  return { type: 'live', delta: { blockId, kind, text: '', discarded: true, ...nested(parentCallId) } }
}

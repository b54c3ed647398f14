/**
 * The events of the Messages API from live text: each block that is being written is a message of its own, with one block.
 * Pure state.
 */
import type { LiveDelta } from '@roundhouse/backend-types'
import type { Frame } from './own-frames'

export class StreamFrames {
  /** Blocks that are being written, with the call of the sub-agent that writes them. */
  private readonly open = new Map<string, string | undefined>()

  constructor(
    private readonly newId: () => string,
    private readonly model: string | undefined,
  ) {}

  delta({ blockId, kind, text, parentCallId, discarded }: LiveDelta): Frame[] {
    if (discarded) return this.finish(blockId)
    const begun = this.open.has(blockId) ? [] : this.begin(kind)
    this.open.set(blockId, parentCallId)
    const delta = kind === 'thinking' ? { type: 'thinking_delta', thinking: text } : { type: 'text_delta', text }
    return [...begun, { type: 'content_block_delta', index: 0, delta }]
  }

  finish(blockId: string): Frame[] {
    if (!this.open.delete(blockId)) return []
    return [{ type: 'content_block_stop', index: 0 }, { type: 'message_stop' }]
  }

  /** The turn is over: what is still open ends with it. */
  close(): Array<{ event: Frame; parentCallId: string | undefined }> {
    return [...this.open].flatMap(([blockId, parentCallId]) =>
      this.finish(blockId).map((event) => ({ event, parentCallId })),
    )
  }

  private begin(kind: LiveDelta['kind']): Frame[] {
    const message = {
      id: this.newId(),
      type: 'message',
      role: 'assistant',
      model: this.model ?? 'default',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 0, output_tokens: 0 },
    }
    const block = kind === 'thinking' ? { type: 'thinking', thinking: '', signature: '' } : { type: 'text', text: '' }
    return [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: block },
    ]
  }
}

/**
 * Blocks that are being written. The protocol has chunks and no blocks: chunks of one kind and one message that follow one
 * another are a block, which ends when something else comes. Its finished text equals its pieces joined (LOG-5).
 */
import { type Effect, output } from './effects'

type Kind = 'assistant_text' | 'thinking'

interface Block {
  id: string
  kind: Kind
  messageId: string | undefined
  text: string
}

export class Blocks {
  private current: Block | undefined
  private count = 0

  /** `prefix`: unique for this process, since programs name messages or do not. */
  constructor(private readonly prefix: string) {}

  add(kind: Kind, text: string, messageId: string | undefined): Effect[] {
    if (text === '') return []
    const continues = this.current?.kind === kind && this.current.messageId === messageId
    const before = continues ? [] : this.finish()
    this.current ??= { id: this.nextId(), kind, messageId, text: '' }
    this.current.text += text
    return [...before, { type: 'live', delta: { blockId: this.current.id, kind, text } }]
  }

  finish(): Effect[] {
    const block = this.current
    this.current = undefined
    return block ? [output({ kind: block.kind, text: block.text, blockId: block.id })] : []
  }

  private nextId(): string {
    this.count += 1
    return `${this.prefix}-${this.count}`
  }
}

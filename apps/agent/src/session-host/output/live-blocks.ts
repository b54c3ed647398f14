/**
 * The blocks that are being written (LOG-5): each piece of text is redacted as far as it is a finished word, spooled, and
 * then sent as live frames that fit the link, at most thirty times a second for the whole session. No timer runs while nothing is written.
 */
import { join } from 'node:path'
import { type LiveFrame, linkLimits, type OpenBlock } from '@roundhouse/backend-types'
import { fittingBlock, fittingLive } from '@roundhouse/delivery'
import { makeOwnFolder } from '@roundhouse/owner'
import { LiveRedactor } from '../../redact/live'
import type { Redactor } from '../../redact/redactor'
import { type SpooledBlock, SpoolFile, type SpoolHeader } from '../journal/spool'

const SEND_EVERY_MS = 1_000 / 30
const HOLD_WORD_MS = 250
/** Progress of a tool is only for watching: beyond this it is not kept, and so not sent. */
const LONGEST_PROGRESS = 256 * 1024

interface Block {
  header: SpoolHeader
  redactor: LiveRedactor
  spool: SpoolFile
  length: number
  holdTimer: NodeJS.Timeout | null
  /** Not sent yet. */
  unsent: { offset: number; text: string } | null
}

export interface LiveBlocksOptions {
  sessionId: string
  folder: string
  redact: Redactor
  send(frames: LiveFrame[]): void
}

export class LiveBlocks {
  private readonly blocks = new Map<string, Block>()
  private nextFile = 1
  private lastSent = Number.NEGATIVE_INFINITY
  private timer: NodeJS.Timeout | null = null

  constructor(private readonly options: LiveBlocksOptions) {
    makeOwnFolder(options.folder)
  }

  add(header: SpoolHeader, text: string): void {
    const block = this.blocks.get(header.blockId) ?? this.open(header)
    if (header.kind === 'tool_progress' && block.length > LONGEST_PROGRESS) return
    this.release(block, block.redactor.push(text))
    if (block.holdTimer || !block.redactor.holds) return
    block.holdTimer = setTimeout(() => {
      block.holdTimer = null
      this.release(block, block.redactor.flush())
    }, HOLD_WORD_MS)
  }

  /**
   * The finished event is on its way to the log: nothing more of the block is sent. Call the result when the event is on
   * the disk, and only then does the spooled text go.
   */
  finish(blockId: string): () => void {
    const block = this.blocks.get(blockId)
    if (!block) return () => {}
    this.blocks.delete(blockId)
    if (block.holdTimer) clearTimeout(block.holdTimer)
    return () => block.spool.remove()
  }

  /** The attempt was abandoned: whoever watches must forget the block. */
  discard(blockId: string): void {
    const block = this.blocks.get(blockId)
    if (!block) return
    this.finish(blockId)()
    this.options.send([{ ...this.frameOf(block, 0, ''), discarded: true }])
  }

  /** Takes blocks out, with everything that was written of them. Call `done` when they are in the log. */
  take(which: (header: SpoolHeader) => boolean = () => true): { blocks: SpooledBlock[]; done(): void } {
    const taken = [...this.blocks.values()].filter(({ header }) => which(header))
    const blocks = taken.map((block) => {
      this.release(block, block.redactor.flush())
      return { ...block.header, text: block.spool.read() }
    })
    const removals = taken.map(({ header }) => this.finish(header.blockId))
    const done = () => {
      for (const remove of removals) remove()
    }
    return { blocks, done }
  }

  read(blockId: string, from: number): { text: string; length: number } | null {
    const block = this.blocks.get(blockId)
    if (!block) return null
    const { length, spool } = block
    return fittingBlock({ text: spool.read().slice(from, length), length }, linkLimits.frameBytes)
  }

  openBlocks(): OpenBlock[] {
    // As far as it was sent, so that the next frame follows on.
    return [...this.blocks.values()]
      .map(({ header, length, unsent }) => ({ ...header, length: unsent?.offset ?? length }))
      .slice(0, 64)
  }

  private open(header: SpoolHeader): Block {
    const block: Block = {
      header,
      redactor: new LiveRedactor(this.options.redact),
      spool: new SpoolFile(join(this.options.folder, `${this.nextFile++}.block`), header),
      length: 0,
      holdTimer: null,
      unsent: null,
    }
    this.blocks.set(header.blockId, block)
    return block
  }

  private release(block: Block, text: string): void {
    if (text === '') return
    // Spooled before it is sent: what somebody has seen can be read again.
    block.spool.write(text)
    block.unsent = { offset: block.unsent?.offset ?? block.length, text: (block.unsent?.text ?? '') + text }
    block.length += text.length
    this.schedule()
  }

  private schedule(): void {
    if (this.timer) return
    const wait = this.lastSent + SEND_EVERY_MS - performance.now()
    this.timer = setTimeout(() => this.sendAll(), Math.max(0, wait))
  }

  private sendAll(): void {
    this.timer = null
    this.lastSent = performance.now()
    const frames: LiveFrame[] = []
    for (const block of this.blocks.values()) {
      if (block.unsent) frames.push(this.frameOf(block, block.unsent.offset, block.unsent.text))
      block.unsent = null
    }
    for (const group of fittingLive(frames, linkLimits.frameBytes)) this.options.send(group)
  }

  private frameOf(block: Block, offset: number, text: string): LiveFrame {
    const { header } = block
    return {
      sessionId: this.options.sessionId,
      procId: header.procId,
      blockId: header.blockId,
      kind: header.kind,
      afterSeq: header.afterSeq,
      offset,
      text,
      ...(header.turnId === undefined ? {} : { turnId: header.turnId }),
      ...(header.parentCallId === undefined ? {} : { parentCallId: header.parentCallId }),
      ...(header.callId === undefined ? {} : { callId: header.callId }),
    }
  }
}

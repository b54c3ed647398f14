/**
 * The blocks that are being written (LOG-5). Text is redacted once a word is finished, spooled, and then sent as live
 * frames that fit the link, at most thirty times a second for the whole session. No timer runs while nothing is
 * written.
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
/** Tool progress is only for watching: beyond this size it is neither kept nor sent. */
const LONGEST_PROGRESS = 256 * 1024

interface Block {
  header: SpoolHeader
  redactor: LiveRedactor
  spool: SpoolFile
  length: number
  holdTimer: NodeJS.Timeout | null
  /** Text that has not been sent. */
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
   * Stops sending this block, whose finished event is on its way to the log. Call the returned function when the event
   * is on disk; only then is the spooled text deleted.
   */
  finish(blockId: string): () => void {
    const block = this.blocks.get(blockId)
    if (!block) return () => {}
    this.blocks.delete(blockId)
    if (block.holdTimer) clearTimeout(block.holdTimer)
    return () => block.spool.remove()
  }

  /** Tells viewers to forget the block of an abandoned attempt. */
  discard(blockId: string): void {
    const block = this.blocks.get(blockId)
    if (!block) return
    this.finish(blockId)()
    this.options.send([{ ...this.frameOf(block, 0, ''), discarded: true }])
  }

  /** Removes blocks and returns all their text. Call `done` when they are in the log. */
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
    // Only what was sent, so that the next frame follows on.
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
    // Spooled before it is sent, so that viewers can read it again after a crash.
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

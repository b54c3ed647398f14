/**
 * Gives out the lines of a stream. While reading is switched off nothing is taken from it, so the program waits on its pipe;
 * lines that were already cut off are kept and come first afterwards.
 */
import type { Readable } from 'node:stream'
import { type Line, type LineEnds, LineSplitter } from '@roundhouse/lines'

export interface LineHandlers {
  line(text: string): void
  tooLong(line: LineEnds): void
}

export class LineReader {
  /** Cut off and not given out yet; some stay only while reading is off. */
  private readonly waiting: Line[] = []
  private readonly splitter: LineSplitter
  private reading = true
  private draining = false
  private closed = false
  bytesRead = 0

  constructor(
    private readonly stream: Readable,
    private readonly handlers: LineHandlers,
    maxBytes?: number,
  ) {
    this.splitter = new LineSplitter(maxBytes)
    stream.on('data', (chunk: Buffer) => {
      this.bytesRead += chunk.length
      for (const line of this.splitter.push(chunk)) this.waiting.push(line)
      this.drain()
    })
    stream.once('error', () => this.close())
    stream.once('close', () => this.close())
  }

  get isReading(): boolean {
    return this.reading
  }

  setReading(reading: boolean): void {
    this.reading = reading
    if (reading) {
      this.drain()
      if (this.reading) this.stream.resume()
    } else this.stream.pause()
  }

  /** Nothing more will be read; what is left of an unfinished line is given out as it is. */
  close(): void {
    if (!this.closed) {
      this.closed = true
      this.stream.destroy()
      this.waiting.push(...this.splitter.end())
    }
    this.drain()
  }

  private drain(): void {
    if (this.draining) return
    this.draining = true
    try {
      while (this.reading && this.waiting.length > 0) {
        const line = this.waiting.shift()
        if (line?.kind === 'too_long') this.handlers.tooLong(line)
        else if (line && line.text.trim() !== '') this.handlers.line(line.text)
      }
    } finally {
      this.draining = false
    }
  }
}

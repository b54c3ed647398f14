/**
 * Cuts a stream into lines. While reading is switched off nothing is taken from the stream, so the program waits on its
 * pipe; a line that was already cut off is kept and comes first afterwards. Pieces of an unfinished line are joined once;
 * of a line over the limit only the ends are kept, so that memory stays bounded whatever a program prints.
 */
import type { Readable } from 'node:stream'

const MAX_LINE_BYTES = 64 * 1024 * 1024
/** Kept of each end of a line that is too long. */
const END_BYTES = 4096

export interface LineEnds {
  bytes: number
  head: string
  tail: string
}

export interface LineHandlers {
  line(text: string): void
  tooLong(line: LineEnds): void
}

export class LineReader {
  /** Chunks that were read and not looked through yet; more than one only while reading is off. */
  private readonly chunks: Buffer[] = []
  private pieces: Buffer[] = []
  private bytes = 0
  private ends: { head: Buffer; tail: Buffer } | null = null
  private reading = true
  private draining = false
  private closed = false
  /** Resolves when the last line was given out. */
  readonly finished: Promise<void>
  private finish: () => void = () => undefined

  constructor(
    private readonly stream: Readable,
    private readonly handlers: LineHandlers,
    private readonly maxBytes = MAX_LINE_BYTES,
  ) {
    this.finished = new Promise((resolve) => {
      this.finish = resolve
    })
    stream.on('data', (chunk: Buffer) => {
      this.chunks.push(chunk)
      this.drain()
    })
    stream.once('error', () => this.close())
    stream.once('close', () => this.close())
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
    }
    this.drain()
  }

  private drain(): void {
    if (this.draining) return
    this.draining = true
    for (let chunk = this.chunks[0]; chunk && this.reading; chunk = this.chunks[0]) {
      const end = chunk.indexOf(10)
      this.keep(end < 0 ? chunk : chunk.subarray(0, end))
      if (end < 0) this.chunks.shift()
      else {
        this.chunks[0] = chunk.subarray(end + 1)
        this.give()
      }
    }
    this.draining = false
    if (!this.closed || !this.reading) return
    this.give()
    this.finish()
  }

  private keep(piece: Buffer): void {
    if (piece.length === 0) return
    this.bytes += piece.length
    if (this.ends) this.ends.tail = lastBytes([this.ends.tail, piece])
    else this.pieces.push(piece)
    if (this.ends || this.bytes <= this.maxBytes) return
    this.ends = { head: firstBytes(this.pieces), tail: lastBytes(this.pieces) }
    this.pieces = []
  }

  private give(): void {
    const { bytes, pieces, ends } = this
    this.pieces = []
    this.bytes = 0
    this.ends = null
    if (ends) this.handlers.tooLong({ bytes, head: ends.head.toString('utf8'), tail: ends.tail.toString('utf8') })
    else if (bytes > 0) this.handlers.line(Buffer.concat(pieces).toString('utf8'))
  }
}

/** Copies, so that the chunks they lie in can go. */
function firstBytes(pieces: readonly Buffer[]): Buffer {
  const taken: Buffer[] = []
  let left = END_BYTES
  for (const piece of pieces) {
    if (left <= 0) break
    taken.push(piece.subarray(0, left))
    left -= piece.length
  }
  return Buffer.concat(taken)
}

function lastBytes(pieces: readonly Buffer[]): Buffer {
  const taken: Buffer[] = []
  let left = END_BYTES
  for (const piece of [...pieces].reverse()) {
    if (left <= 0) break
    taken.unshift(piece.subarray(-left))
    left -= piece.length
  }
  return Buffer.concat(taken)
}

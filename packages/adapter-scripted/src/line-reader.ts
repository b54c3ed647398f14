/**
 * Cuts a stream into lines. While reading is switched off nothing is taken from the stream, so the program waits on its
 * pipe; a line that was already cut off is kept and comes first afterwards.
 */
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** A longer line is given out in pieces of this size: memory stays bounded whatever a program prints. */
const MAX_LINE_CHARS = 16 * 1024 * 1024

export class LineReader {
  private readonly decoder = new StringDecoder('utf8')
  private rest = ''
  private reading = true
  private draining = false
  private closed = false
  /** Resolves when the last line was given out. */
  readonly finished: Promise<void>
  private finish: () => void = () => undefined

  constructor(
    private readonly stream: Readable,
    private readonly onLine: (line: string) => void,
  ) {
    this.finished = new Promise((resolve) => {
      this.finish = resolve
    })
    stream.on('data', (chunk: Buffer) => {
      this.rest += this.decoder.write(chunk)
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
      this.rest += this.decoder.end()
      this.stream.destroy()
    }
    this.drain()
  }

  private drain(): void {
    if (this.draining) return
    this.draining = true
    let at = 0
    while (this.reading) {
      const end = this.rest.indexOf('\n', at)
      if (end < 0) break
      const line = this.rest.slice(at, end)
      at = end + 1
      if (line !== '') this.onLine(line)
    }
    this.rest = this.rest.slice(at)
    this.draining = false
    if (this.reading && (this.closed || this.rest.length > MAX_LINE_CHARS)) this.flush()
  }

  private flush(): void {
    const line = this.rest
    this.rest = ''
    if (line !== '') this.onLine(line)
    if (this.closed) this.finish()
  }
}

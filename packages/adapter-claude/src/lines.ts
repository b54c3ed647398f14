/**
 * Bytes -> lines. Pieces of an unfinished line are kept as they came and joined once, so that a line of many megabytes
 * costs what it weighs. A line over the limit is forgotten while it arrives: only its length is reported.
 */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

export type Line = { kind: 'line'; text: string } | { kind: 'too_long'; bytes: number }

export class LineSplitter {
  private pieces: Buffer[] = []
  private bytes = 0

  constructor(private readonly maxBytes = MAX_LINE_BYTES) {}

  push(chunk: Buffer): Line[] {
    const lines: Line[] = []
    let from = 0
    for (let end = chunk.indexOf(10, from); end !== -1; end = chunk.indexOf(10, from)) {
      this.keep(chunk.subarray(from, end))
      lines.push(this.take())
      from = end + 1
    }
    this.keep(chunk.subarray(from))
    return lines
  }

  private keep(piece: Buffer): void {
    this.bytes += piece.length
    if (this.bytes > this.maxBytes) this.pieces = []
    else if (piece.length > 0) this.pieces.push(piece)
  }

  private take(): Line {
    const { bytes, pieces } = this
    this.pieces = []
    this.bytes = 0
    if (bytes > this.maxBytes) return { kind: 'too_long', bytes }
    return { kind: 'line', text: Buffer.concat(pieces).toString('utf8') }
  }
}

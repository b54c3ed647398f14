/**
 * Bytes -> lines. Pieces of an unfinished line are kept as they arrived and joined once, so that a line of many megabytes
 * costs only its own size. Of a line over the limit, only the start and the end are kept.
 */
const MAX_LINE_BYTES = 64 * 1024 * 1024
/** Kept of each end of a line that is too long. */
const END_BYTES = 4096

export interface LineEnds {
  bytes: number
  head: string
  tail: string
}

export type Line = { kind: 'line'; text: string } | ({ kind: 'too_long' } & LineEnds)

export class LineSplitter {
  private pieces: Buffer[] = []
  private bytes = 0
  private ends: { head: Buffer; tail: Buffer } | null = null

  constructor(private readonly maxBytes = MAX_LINE_BYTES) {}

  /** The lines that this chunk finishes, without their line feeds; an empty one is an empty text. */
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

  /** The stream ended: what is left without a line feed counts as a line. */
  end(): Line[] {
    return this.bytes > 0 ? [this.take()] : []
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

  private take(): Line {
    const { bytes, pieces, ends } = this
    this.pieces = []
    this.bytes = 0
    this.ends = null
    if (ends) return { kind: 'too_long', bytes, head: ends.head.toString('utf8'), tail: ends.tail.toString('utf8') }
    return { kind: 'line', text: Buffer.concat(pieces).toString('utf8') }
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

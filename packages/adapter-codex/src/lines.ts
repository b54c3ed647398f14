/**
 * Cuts a byte stream into lines. The pieces of an unfinished line are kept apart and joined once, so that a line of
 * many megabytes costs its length and not its square. Of a line over the limit only the ends are kept and reported.
 */
export const maxLineBytes = 64 * 1024 * 1024
/** Kept of each end of a line that is too long. */
const endBytes = 4096

export interface LineEnds {
  bytes: number
  head: string
  tail: string
}

export interface LineHandlers {
  line(text: string): void
  tooLong(line: LineEnds): void
}

export function createLineReader(handlers: LineHandlers, limit = maxLineBytes) {
  let pieces: Buffer[] = []
  let length = 0
  let ends: { head: Buffer; tail: Buffer } | null = null

  const take = (piece: Buffer) => {
    length += piece.length
    if (ends) ends.tail = lastBytes([ends.tail, piece])
    else pieces.push(piece)
    if (ends || length <= limit) return
    ends = { head: firstBytes(pieces), tail: lastBytes(pieces) }
    pieces = []
  }
  const finish = () => {
    const [bytes, parts, cut] = [length, pieces, ends]
    length = 0
    pieces = []
    ends = null
    if (cut) handlers.tooLong({ bytes, head: cut.head.toString('utf8'), tail: cut.tail.toString('utf8') })
    else if (bytes > 0) handlers.line(Buffer.concat(parts, bytes).toString('utf8'))
  }

  return {
    push(chunk: Buffer): void {
      let from = 0
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        take(chunk.subarray(from, at))
        finish()
        from = at + 1
      }
      if (from < chunk.length) take(chunk.subarray(from))
    },
    /** The stream ended: what is left without a line feed counts as a line. */
    end: finish,
  }
}

/** Copies, so that the chunks they lie in can go. */
function firstBytes(pieces: readonly Buffer[]): Buffer {
  const taken: Buffer[] = []
  let left = endBytes
  for (const piece of pieces) {
    if (left <= 0) break
    taken.push(piece.subarray(0, left))
    left -= piece.length
  }
  return Buffer.concat(taken)
}

function lastBytes(pieces: readonly Buffer[]): Buffer {
  const taken: Buffer[] = []
  let left = endBytes
  for (const piece of [...pieces].reverse()) {
    if (left <= 0) break
    taken.unshift(piece.subarray(-left))
    left -= piece.length
  }
  return Buffer.concat(taken)
}

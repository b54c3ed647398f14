/**
 * Cuts a byte stream into lines. The pieces of an unfinished line are kept apart and joined once, so that a line of
 * many megabytes costs its length and not its square. A line over the limit is dropped whole and reported.
 */
export const maxLineBytes = 64 * 1024 * 1024

export interface LineHandlers {
  line(text: string): void
  /** `bytes` is the length of the line that was dropped. */
  tooLong(bytes: number): void
}

export function createLineReader(handlers: LineHandlers, limit = maxLineBytes) {
  let pieces: Buffer[] = []
  let length = 0

  const take = (piece: Buffer) => {
    length += piece.length
    if (length > limit) pieces = []
    else pieces.push(piece)
  }
  const finish = () => {
    const [bytes, parts] = [length, pieces]
    length = 0
    pieces = []
    if (bytes > limit) handlers.tooLong(bytes)
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

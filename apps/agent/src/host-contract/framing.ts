/** JSON lines over a stream: whole lines out of chunks, with a limit, so that no peer can fill the memory. */
import type { Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import { CodedError } from '@roundhouse/backend-types'
import { LINE_LIMIT } from './messages'
import type { Seal } from './seal'

export class LineSplitter {
  private readonly decoder = new StringDecoder('utf8')
  private pieces: string[] = []
  private length = 0

  constructor(private readonly limit: number) {}

  /** The lines that this chunk completed. Throws `FRAME_TOO_LARGE`. */
  push(chunk: Buffer): string[] {
    const parts = this.decoder.write(chunk).split('\n')
    const lines: string[] = []
    for (const [index, part] of parts.entries()) {
      this.length += part.length
      if (this.length > this.limit) throw new CodedError('FRAME_TOO_LARGE')
      this.pieces.push(part)
      if (index === parts.length - 1) break
      lines.push(this.pieces.join(''))
      this.pieces = []
      this.length = 0
    }
    return lines
  }
}

/** What a peer may leave unread before nothing more is read of it. */
const UNREAD_BYTES = 1024 * 1024

/** After an answer: a peer that asks without reading is not heard until it has read. */
export function hearNoFaster(socket: Socket): void {
  if (socket.writableLength <= UNREAD_BYTES || socket.isPaused()) return
  socket.pause()
  socket.once('drain', () => socket.resume())
}

/** False: it is longer than the other end reads, and is not said. A larger line would end the connection. */
export function writeLine(socket: Socket, message: object, seal?: Seal | null): boolean {
  if (!socket.writable) return true
  const text = JSON.stringify(message)
  if (text.length > LINE_LIMIT) return false
  socket.write(`${seal ? seal.close(text) : text}\n`)
  return true
}

/**
 * VIEW-4: what waits in one viewer's socket, in our memory. Beyond the limit the viewer leaves the room, is told once
 * how far the log is, pages over HTTP, and comes back when its socket has drained. Others notice nothing.
 */
import type { Socket } from 'socket.io'

export const QUEUE_BYTES = 1_048_576
export const QUEUE_FRAMES = 500
/** Live text is dropped first (LOG-5). */
export const LIVE_QUEUE_BYTES = 131_072

interface Transport {
  socket?: { bufferedAmount?: number }
  once?(event: 'drain', listener: () => void): void
}

interface Waiting {
  data?: unknown
}

export interface Backlog {
  frames: number
  bytes: number
}

export function backlogOf(socket: Socket): Backlog {
  const conn = socket.conn as unknown as { writeBuffer: Waiting[]; transport: Transport }
  let bytes = conn.transport.socket?.bufferedAmount ?? 0
  for (const { data } of conn.writeBuffer) if (typeof data === 'string') bytes += data.length
  return { frames: conn.writeBuffer.length, bytes }
}

export function isOverfull(backlog: Backlog, more: number): boolean {
  return backlog.bytes > 0 && (backlog.bytes + more > QUEUE_BYTES || backlog.frames >= QUEUE_FRAMES)
}

/** Calls back once nothing waits any more; never for a socket that is gone. */
export function whenDrained(socket: Socket, then: () => void): void {
  const { transport } = socket.conn as unknown as { transport: Transport }
  const look = () => {
    if (!socket.connected) return
    if (backlogOf(socket).bytes === 0) then()
    else whenDrained(socket, then)
  }
  transport.once?.('drain', () => setImmediate(look)) // the library takes the next frames within the same turn
}

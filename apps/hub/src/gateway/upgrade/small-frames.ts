/**
 * Limits the frames of a connection that has not entered a namespace to 16 KiB. Such a connection only has to say which
 * namespace it enters, and as whom. The limit applies to the length in the frame's header, so the hub never receives a longer
 * frame.
 */
import type { Socket } from 'engine.io'

const BEFORE_ENTERING_BYTES = 16_384

/** The WebSocket library takes one limit for all connections; each connection's receiver has its own. */
interface Transport {
  socket?: { _receiver?: { _maxPayload?: number } }
}

export function holdToSmallFrames(connection: Socket): void {
  setLimit(connection, BEFORE_ENTERING_BYTES)
}

export function allowFrames(connection: Socket, bytes: number): void {
  setLimit(connection, bytes)
}

function setLimit({ transport }: Socket, bytes: number): void {
  const receiver = (transport as unknown as Transport).socket?._receiver
  if (receiver?._maxPayload !== undefined) receiver._maxPayload = bytes
}

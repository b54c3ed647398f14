/** Shows a test that a server in its process stops reading from a peer. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/** Node.js tells each connection that a server accepts. */
const ACCEPTED = 'net.server.socket'

/** Resolves when the server does not read any more from the next connection that it accepts. */
export function heldBack(): Promise<void> {
  return new Promise((resolve) => {
    const accepted = (message: unknown) => {
      unsubscribe(ACCEPTED, accepted)
      const { socket } = message as { socket: Socket }
      socket.once('pause', resolve)
    }
    subscribe(ACCEPTED, accepted)
  })
}

/** The connections of a host that have proved themselves, with the seal of what is said to each. */
import type { Socket } from 'node:net'
import { CodedError } from '@roundhouse/backend-types'
import { writeLine } from './framing'
import type { HostMessage } from './messages'
import { leastAccount } from './readable-account'
import type { Seal } from './seal'

/** A daemon that reads slower than this misses live text, never anything else. */
const LIVE_BACKLOG_BYTES = 1024 * 1024
/** A daemon that leaves this much unread is cut off. It asks for everything when it comes again. */
const BACKLOG_BYTES = 32 * 1024 * 1024

export class HostConnections {
  private readonly open = new Map<Socket, Seal>()

  add(socket: Socket, seal: Seal): void {
    this.open.set(socket, seal)
  }

  remove(socket: Socket): void {
    this.open.delete(socket)
  }

  sealOf(socket: Socket): Seal | undefined {
    return this.open.get(socket)
  }

  broadcast(message: HostMessage): void {
    const droppable = message.type === 'live'
    for (const [socket, seal] of this.open) {
      if (droppable && socket.writableLength > LIVE_BACKLOG_BYTES) continue
      if (socket.writableLength > BACKLOG_BYTES) socket.destroy()
      else say(socket, message, seal)
    }
  }

  end(): void {
    for (const socket of this.open.keys()) socket.end()
  }
}

/** A message that is too long for a line loses what makes it long, or is not sent: its daemon would take the host for dead. */
export function say(socket: Socket, message: HostMessage, seal: Seal | undefined): void {
  if (writeLine(socket, message, seal)) return
  const least = leastMessage(message)
  const isSaid = least !== null && writeLine(socket, least, seal)
  console.error(`FRAME_TOO_LARGE: ${isSaid ? 'sent only in part' : 'not sent'} to the daemon: ${message.type}`)
}

function leastMessage(message: HostMessage): HostMessage | null {
  switch (message.type) {
    case 'hello':
    case 'state':
      return { ...message, state: leastAccount(message.state) }
    case 'answer':
      return { type: 'answer', id: message.id, ok: false, error: new CodedError('FRAME_TOO_LARGE').toBody() }
    default:
      return null
  }
}

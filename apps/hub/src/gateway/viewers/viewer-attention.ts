/** Each page that is in the room of a session, with whose it is: what concerns it goes first (CMD-7). */
import type { GatewayServices } from '../../core'
import { sessionOfRoom } from './viewer-rooms'
import type { ViewerNamespace, ViewerSocket } from './viewer-socket'

export class ViewerAttention {
  readonly #attention: GatewayServices['attention']
  /** By socket, then by session: whose page it is. */
  readonly #looking = new Map<string, Map<string, string>>()
  readonly stop: () => void

  constructor({ adapter }: ViewerNamespace, { attention }: GatewayServices) {
    this.#attention = attention
    const left = (room: string, socketId: string) => this.#ends(socketId, sessionOfRoom(room))
    adapter.on('leave-room', left)
    this.stop = () => void adapter.off('leave-room', left)
  }

  begins(socket: ViewerSocket, sessionId: string, agentId: string): void {
    const sessions = this.#looking.get(socket.id) ?? new Map<string, string>()
    if (sessions.has(sessionId)) return
    const { userId } = socket.data.login.actor
    this.#looking.set(socket.id, sessions.set(sessionId, userId))
    this.#attention.begins(sessionId, agentId, userId)
  }

  #ends(socketId: string, sessionId: string | null): void {
    const sessions = this.#looking.get(socketId)
    const userId = sessionId === null ? undefined : sessions?.get(sessionId)
    if (!sessions || sessionId === null || userId === undefined) return
    sessions.delete(sessionId)
    if (sessions.size === 0) this.#looking.delete(socketId)
    this.#attention.ends(sessionId, userId)
  }
}

/**
 * AUTH-1 on sockets: nothing is heard from a viewer and nothing is said to one by rights that ended. One number in the database says
 * whether anybody's rights changed, whoever changed them; it is read before every frame in either direction. When it moved, each
 * socket whose standing is not what it was opened with is closed before anything else happens: also between the commit of the
 * change and the word of whoever made it.
 */
import { CodedError } from '@roundhouse/backend-types'
import { type Core, eachApart, throwFirst } from '../core'
import type { ViewerNamespace, ViewerSocket } from './viewer-socket'

export class ViewerRights {
  readonly #namespace: ViewerNamespace
  readonly #core: Core
  #seen: number

  constructor(namespace: ViewerNamespace, core: Core) {
    this.#namespace = namespace
    this.#core = core
    this.#seen = core.rights.version()
  }

  /** After this, whoever is still in a room may be there. One whose rights nobody can read is closed, and judged at its return. */
  enforce(): void {
    const version = this.#core.rights.version()
    if (version === this.#seen) return
    for (const socket of [...this.#namespace.sockets.values()]) {
      try {
        this.admit(socket)
      } catch {
        socket.disconnect(true)
      }
    }
    this.#seen = version
  }

  /** Each socket, whether or not anything changed: a login also ends by its time. */
  sweep(): void {
    throwFirst(eachApart([...this.#namespace.sockets.values()], (socket) => this.admit(socket)))
  }

  /** Closes the socket unless its login is what it was when it was opened. */
  admit(socket: ViewerSocket): void {
    const { login } = socket.data
    if (!this.#core.rights.isAsBefore(login.actor)) socket.disconnect(true)
  }

  /** A frame of a viewer: judged before it is read, and again before it is answered. */
  async judged<T>(socket: ViewerSocket, run: () => Promise<T> | T): Promise<T> {
    this.#require(socket)
    const answer = await run()
    this.#require(socket)
    return answer
  }

  #require(socket: ViewerSocket): void {
    this.enforce()
    if (!socket.connected) throw new CodedError('AUTH_REQUIRED')
  }
}

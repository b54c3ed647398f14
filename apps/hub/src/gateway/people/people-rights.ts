/**
 * Closes the sockets of people whose rights ended (AUTH-1): the hub reads nothing from such a person and sends nothing to them.
 * Every change of rights raises one number in the database, whoever makes the change. The hub reads this number before each
 * frame in either direction. If it moved, the hub closes each socket whose rights are no longer those it was opened with,
 * before it does anything else. This also covers the time between the commit of a change and the call that announces it. If the
 * number cannot be read, nobody's rights are known: the hub closes all sockets and checks each person when they return.
 */
import { CodedError } from '@roundhouse/backend-types'
import { eachApart, type GatewayServices, throwFirst, VersionWatch } from '../../core'
import type { PersonSocket, PersonSockets } from './person-socket'

export class PeopleRights {
  readonly #namespace: PersonSockets
  readonly #core: Pick<GatewayServices, 'rights'>
  readonly #changes: VersionWatch
  readonly #admitted = new WeakMap<PersonSocket, Promise<void>>()
  /** A check that has not begun. */
  #next: Promise<void> | null = null

  constructor(namespace: PersonSockets, core: Pick<GatewayServices, 'rights'>) {
    this.#namespace = namespace
    this.#core = core
    this.#changes = new VersionWatch(() => core.rights.version())
  }

  /** Resolves when only people with valid rights are left in rooms. Closes a socket whose rights cannot be read; its return is judged anew. */
  async enforce(): Promise<void> {
    try {
      await this.#changes.whenMoved(() => this.#judgeAll())
    } catch (error) {
      this.#namespace.disconnectSockets(true)
      throw error
    }
  }

  async #judgeAll(): Promise<void> {
    const judged = [...this.#namespace.sockets.values()].map((socket) =>
      this.#judge(socket).catch(() => void socket.disconnect(true)),
    )
    await Promise.all(judged)
  }

  /** Each socket, whether or not anything changed: a login also ends by its time. */
  async sweep(): Promise<void> {
    throwFirst(await eachApart([...this.#namespace.sockets.values()], (socket) => this.#judge(socket)))
  }

  /** A socket that is new here. It is in its rooms: what changed since its login was read is found now, what changes later is told. */
  admit(socket: PersonSocket): Promise<void> {
    const admitted = this.#judge(socket).catch(() => void socket.disconnect(true))
    this.#admitted.set(socket, admitted)
    return admitted
  }

  /** A frame of a person: judged before it is read, and again before it is answered. */
  async judged<T>(socket: PersonSocket, run: () => Promise<T> | T): Promise<T> {
    await this.#admitted.get(socket)
    await this.#require(socket)
    const answer = await run()
    await this.#require(socket)
    return answer
  }

  /** Closes the socket unless its login is what it was when it was opened. */
  async #judge(socket: PersonSocket): Promise<void> {
    const { login } = socket.data
    if (!(await this.#core.rights.isAsBefore(login.actor))) socket.disconnect(true)
  }

  /** A check that begins later than the frame came holds for it: frames of one moment share one. */
  #enforceSoon(): Promise<void> {
    this.#next ??= new Promise<void>((resolve) => process.nextTick(resolve)).then(() => {
      this.#next = null
      return this.enforce()
    })
    return this.#next
  }

  async #require(socket: PersonSocket): Promise<void> {
    await this.#enforceSoon()
    if (!socket.connected) throw new CodedError('AUTH_REQUIRED')
  }
}

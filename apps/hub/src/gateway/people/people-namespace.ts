/**
 * A namespace of people: decides who may enter it, and closes sockets when rights end (AUTH-1, T77). The room that serves the
 * namespace handles its frames.
 */
import { type Action, CodedError } from '@roundhouse/backend-types'
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io'
import { z } from 'zod'
import { can, type GatewayServices } from '../../core'
import { type Authenticate, agentOf, socketRequest, type ViewerLogin } from '../upgrade/handshake'
import { PeopleRights } from './people-rights'
import { loginRoom, personRoom } from './person-rooms'
import type { PersonData } from './person-socket'
import { ViewerLane } from './viewer-lane'

/** What proves who somebody is. */
interface Logins {
  authenticate: Authenticate
  /** For whoever proves with one that is too old. */
  nonce: () => string
}

export interface PeopleOptions {
  core: Pick<GatewayServices, 'rights' | 'doorbells'>
  logins: Logins
  /** Only people who may do this enter. Absent: everybody who is signed in. */
  requires?: Action
  /** Connections of one login or token at a time (AUTH-1.12). */
  mostPerLogin: number
}

interface Entry<S> {
  /** Before the socket is admitted: whoever listens now misses no frame, and answers none before (`rights.judged`). */
  connected?: (socket: S) => void
  admitted: (socket: S) => void
}

/** What a browser says when it connects. */
const Shown = z.object({ proof: z.string().max(1_000) })

export class PeopleNamespace<In extends DefaultEventsMap, Out extends DefaultEventsMap> {
  readonly sockets: Namespace<In, Out, DefaultEventsMap, PersonData>
  readonly rights: PeopleRights
  /** Every frame to them takes it: it checks their rights first. */
  readonly lane: ViewerLane
  readonly stop: () => void

  constructor(sockets: Namespace<In, Out, DefaultEventsMap, PersonData>, options: PeopleOptions) {
    const { doorbells } = options.core
    this.sockets = sockets
    this.rights = new PeopleRights(sockets, options.core)
    this.lane = new ViewerLane(() => this.rights.enforce())
    const stops = [
      doorbells.on('loginEnded', ({ loginId }) => void sockets.in(loginRoom(loginId)).disconnectSockets(true)),
      doorbells.on('person', ({ userId }) => this.closePerson(userId)),
    ]
    this.stop = () => {
      for (const stop of stops) stop()
    }
    admit(sockets, options)
  }

  /** Called for each socket that enters from now on. */
  onEntry({ connected, admitted }: Entry<Socket<In, Out, DefaultEventsMap, PersonData>>): void {
    this.sockets.on('connection', (socket) => {
      const { login } = socket.data
      void socket.join([loginRoom(login.loginId), personRoom(login.actor.userId)])
      // In its rooms by now: a change since the login was read has closed no socket yet, and from here on it does.
      connected?.(socket)
      void this.rights.admit(socket).then(() => {
        if (socket.connected) admitted(socket)
      })
    })
  }

  closePerson(userId: string): void {
    this.sockets.in(personRoom(userId)).disconnectSockets(true)
  }
}

function admit<In extends DefaultEventsMap, Out extends DefaultEventsMap>(
  sockets: Namespace<In, Out, DefaultEventsMap, PersonData>,
  { logins, requires, mostPerLogin }: PeopleOptions,
): void {
  sockets.use((socket, next) => {
    if (agentOf(socket.request)) {
      next(new Error('AUTH_REQUIRED')) // a signed upgrade makes every other credential ignored (WEB-1)
      return
    }
    const refuse = (code: string, data?: object) => next(Object.assign(new Error(code), data ? { data } : {}))
    judge(socket, logins).then(
      (login) => {
        if (!login) return refuse('AUTH_REQUIRED')
        if (requires !== undefined && !can(login.actor, requires)) return refuse('FORBIDDEN', { action: requires })
        const { size: held } = sockets.adapter.rooms.get(loginRoom(login.loginId)) ?? { size: 0 }
        if (held >= mostPerLogin) return refuse('RATE_LIMITED', { connections: held })
        socket.data = { login }
        next()
      },
      (thrown: unknown) => {
        const isStale = thrown instanceof CodedError && thrown.code === 'PROOF_STALE'
        if (isStale) refuse('PROOF_STALE', { nonce: logins.nonce() })
        else refuse('INTERNAL')
      },
    )
  })
}

type Arriving = Pick<Socket, 'request' | 'handshake'>

/** A program showed its token with the upgrade; a browser proves its key now, before it joins any room. */
async function judge(socket: Arriving, { authenticate }: Logins): Promise<ViewerLogin | null> {
  const { authorization } = socket.request.headers
  if (authorization !== undefined) return authenticate({ ...socketRequest, authorization })
  const { data: shown } = Shown.safeParse(socket.handshake.auth)
  return shown ? authenticate({ ...socketRequest, proof: shown.proof }) : null
}

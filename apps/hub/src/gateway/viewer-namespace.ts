/**
 * `/viewer`: people. Identity comes from the login behind the handshake and from nowhere else (T79). `watch` joins the
 * room first and reads second (VIEW-1); what is too much for one socket is left to HTTP (VIEW-4, VIEW-5).
 */
import { CodedError, Id, Watch, WatchInbox } from '@roundhouse/backend-types'
import type { Namespace, Socket } from 'socket.io'
import { z } from 'zod'
import { type Actor, type Core, requireCan } from '../core'
import { handle } from './frames'
import { type Authenticate, agentOf, type ViewerLogin } from './handshake'
import { backlogOf, QUEUE_BYTES, QUEUE_FRAMES } from './viewer-backlog'
import { inboxRoom, loginRoom, personRoom, sessionRoom } from './viewer-rooms'

const OfSession = z.object({ sessionId: Id })
const BlockGet = z.object({ sessionId: Id, blockId: z.string().min(1).max(256), from: z.number().int().min(0) })
/** A page watches one session; a person with many tabs has a socket for each. */
const ROOMS_PER_SOCKET = 64

export function serveViewers(namespace: Namespace, core: Core, authenticate: Authenticate): void {
  namespace.use((socket, next) => {
    if (agentOf(socket.request)) {
      next(new Error('AUTH_REQUIRED')) // a signed upgrade makes its cookie ignored (WEB-1)
      return
    }
    const { cookie, authorization } = socket.request.headers
    authenticate({ cookie, authorization }).then(
      (login) => {
        if (login) {
          socket.data = { login }
          next()
          return
        }
        next(new Error('AUTH_REQUIRED'))
        setImmediate(() => socket.conn.close()) // a connection of nobody is not kept
      },
      () => next(new Error('INTERNAL')),
    )
  })
  namespace.on('connection', (socket: Socket) => {
    const { login } = socket.data as { login: ViewerLogin }
    void socket.join([loginRoom(login.loginId), personRoom(login.actor.userId)])
    listen(socket, core, login.actor)
    void closeUnlessStill(socket, login, authenticate)
  })
}

/**
 * Join first, read second: rights that were taken away between the login's reading and its rooms closed no socket yet. It
 * is read again before the socket has said anything.
 */
async function closeUnlessStill(socket: Socket, login: ViewerLogin, authenticate: Authenticate): Promise<void> {
  const { cookie, authorization } = socket.request.headers
  const still = await authenticate({ cookie, authorization }).catch(() => null)
  if (!still || !isSame(still.actor, login.actor)) socket.disconnect(true)
}

const isSame = (a: Actor, b: Actor): boolean =>
  a.userId === b.userId && a.role === b.role && isSameSet(a.agents, b.agents) && isSameSet(a.only, b.only)

function isSameSet(a: ReadonlySet<string> | null | undefined, b: ReadonlySet<string> | null | undefined): boolean {
  if (!a || !b) return a === b
  return a.size === b.size && [...a].every((one) => b.has(one))
}

function listen(socket: Socket, core: Core, actor: Actor): void {
  handle(socket, { event: 'watch', schema: Watch, run: (frame) => watch(socket, core, actor, frame) })
  handle(socket, {
    event: 'unwatch',
    schema: OfSession,
    run: ({ sessionId }) => {
      void socket.leave(sessionRoom(sessionId))
      return {}
    },
  })
  handle(socket, {
    event: 'watch.inbox',
    schema: WatchInbox,
    run: () => {
      requireCan(actor, 'session.read')
      void socket.join(inboxRoom(actor))
      return { rev: core.viewerReads.inboxRev() }
    },
  })
  handle(socket, {
    event: 'block.get',
    schema: BlockGet,
    run: ({ sessionId, blockId, from }) => {
      core.viewerReads.requireReader(actor, sessionId)
      return core.viewerReads.block(sessionId, blockId, from)
    },
  })
}

function watch(socket: Socket, core: Core, actor: Actor, { sessionId, afterSeq, hubEpoch }: Watch): object {
  const { viewerReads: reads } = core
  reads.requireReader(actor, sessionId)
  const head = reads.head(sessionId)
  if (head === undefined) throw new CodedError('SESSION_NOT_FOUND')
  const epoch = reads.hubEpoch()
  const tooFar = hubEpoch !== epoch || afterSeq > head || reads.isTooFar(sessionId, afterSeq)
  if (tooFar) return { head, hubEpoch: epoch, tooFar }
  if (socket.rooms.size >= ROOMS_PER_SOCKET) throw new CodedError('RATE_LIMITED')
  void socket.join(sessionRoom(sessionId))
  const room = QUEUE_BYTES - backlogOf(socket).bytes
  const events = room > 0 ? reads.eventsAfter(sessionId, afterSeq, QUEUE_FRAMES, room) : []
  if (events.length > 0) socket.emit('events', { sessionId, events })
  const view = reads.view(sessionId)
  if (view) socket.emit('session', view)
  const frames = reads.openBlocks(sessionId)
  if (frames.length > 0) socket.emit('live', { sessionId, frames })
  return { head, hubEpoch: epoch, tooFar }
}

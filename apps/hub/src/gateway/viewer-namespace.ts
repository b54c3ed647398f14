/**
 * `/viewer`: people. Identity comes from the login behind the handshake and from nowhere else (T79). `watch` joins the
 * room first and reads second (VIEW-1); what is too much for one socket is left to HTTP (VIEW-4, VIEW-5).
 */
import { CodedError, Id, Watch, WatchInbox } from '@roundhouse/backend-types'
import type { Namespace, Socket } from 'socket.io'
import { z } from 'zod'
import { type Actor, type Core, requireCan } from '../core'
import { viewerFlood, viewerRules } from './frame-budgets'
import { handle } from './frames'
import { type Authenticate, agentOf, socketRequest, type ViewerLogin } from './handshake'
import { LinkLane } from './link-lane'
import type { Turns } from './turns'
import { backlogOf, QUEUE_BYTES, QUEUE_FRAMES } from './viewer-backlog'
import type { ViewerRights } from './viewer-rights'
import { inboxRoom, loginRoom, personRoom, sessionRoom } from './viewer-rooms'

const OfSession = z.object({ sessionId: Id })
const BlockGet = z.object({ sessionId: Id, blockId: z.string().min(1).max(256), from: z.number().int().min(0) })
/** A page watches one session; a person with many tabs has a socket for each. */
const ROOMS_PER_SOCKET = 64

interface Served {
  core: Core
  rights: ViewerRights
  turns: Turns
}

export interface ViewerLogins {
  authenticate: Authenticate
  /** For whoever proves with one that is too old. */
  nonce: () => string
}

/** What a browser says when it connects. */
const Shown = z.object({ proof: z.string().max(1_000) })

export function serveViewers(namespace: Namespace, served: Served, logins: ViewerLogins): void {
  namespace.use((socket, next) => {
    if (agentOf(socket.request)) {
      next(new Error('AUTH_REQUIRED')) // a signed upgrade makes every other credential ignored (WEB-1)
      return
    }
    const refuse = (code: string, data?: object) => {
      next(Object.assign(new Error(code), data ? { data } : {}))
      setImmediate(() => socket.conn.close()) // a connection of nobody is not kept
    }
    judge(socket, logins).then(
      (login) => {
        if (!login) return refuse('AUTH_REQUIRED')
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
  namespace.on('connection', (socket: Socket) => {
    const { login } = socket.data as { login: ViewerLogin }
    void socket.join([loginRoom(login.loginId), personRoom(login.actor.userId)])
    // In its rooms by now: a change since the login was read has closed no socket yet, and from here on it does.
    served.rights.admit(socket)
    if (!socket.connected) return
    socket.emit('storage', served.core.storage())
    listen(socket, served, login.actor)
  })
}

/** A program showed its token with the upgrade; a browser proves its key now, before it joins any room. */
async function judge(socket: Socket, { authenticate }: ViewerLogins): Promise<ViewerLogin | null> {
  const { authorization } = socket.request.headers
  if (authorization !== undefined) return authenticate({ ...socketRequest, authorization })
  const { data: shown } = Shown.safeParse(socket.handshake.auth)
  return shown ? authenticate({ ...socketRequest, proof: shown.proof }) : null
}

function listen(socket: Socket, { core, rights, turns }: Served, actor: Actor): void {
  const onFlood = () => setImmediate(() => socket.disconnect(true))
  const lane = new LinkLane({ turns, rules: viewerRules, flood: viewerFlood, onFlood })
  socket.on('disconnect', () => lane.close())
  const on = <S extends z.ZodType>(event: string, schema: S, run: (frame: z.output<S>) => Promise<object> | object) =>
    handle(socket, { event, schema, lane, run: (frame) => rights.judged(socket, () => run(frame)) })
  on('watch', Watch, (frame) => watch(socket, core, actor, frame))
  on('unwatch', OfSession, ({ sessionId }) => {
    void socket.leave(sessionRoom(sessionId))
    return {}
  })
  on('watch.inbox', WatchInbox, () => {
    requireCan(actor, 'session.read')
    void socket.join(inboxRoom(actor))
    return { rev: core.viewerReads.inboxRev() }
  })
  on('block.get', BlockGet, ({ sessionId, blockId, from }) => {
    core.viewerReads.requireReader(actor, sessionId)
    return core.viewerReads.block(sessionId, blockId, from)
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

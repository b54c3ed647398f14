/**
 * `/viewer`: people. Identity comes from the login behind the handshake and from nowhere else (T79). `watch` joins the
 * room first and reads second (VIEW-1); what is too much for one socket is left to HTTP (VIEW-4, VIEW-5).
 */
import { CodedError, type FrameSpec, viewerToHub, type Watch } from '@roundhouse/backend-types'
import { z } from 'zod'
import { type Actor, type GatewayServices, requireCan } from '../core'
import { viewerFlood, viewerRules } from './frame-budgets'
import { type Handler, handleAll } from './frames'
import { type Authenticate, agentOf, socketRequest, type ViewerLogin } from './handshake'
import type { JoinThenRead } from './join-then-read'
import { LinkLane } from './link-lane'
import type { Turns } from './turns'
import type { ViewerAttention } from './viewer-attention'
import { backlogOf, QUEUE_BYTES, QUEUE_FRAMES } from './viewer-backlog'
import type { ViewerRights } from './viewer-rights'
import { inboxRoom, loginRoom, personRoom, sessionRoom } from './viewer-rooms'
import type { ViewerNamespace, ViewerSocket } from './viewer-socket'

/** A page watches one session; a person with many tabs has a socket for each. */
const ROOMS_PER_SOCKET = 64

interface Served {
  core: GatewayServices
  rights: ViewerRights
  joining: JoinThenRead
  attention: ViewerAttention
  turns: Turns
}

export interface ViewerLogins {
  authenticate: Authenticate
  /** For whoever proves with one that is too old. */
  nonce: () => string
}

/** What a browser says when it connects. */
const Shown = z.object({ proof: z.string().max(1_000) })

export function serveViewers(namespace: ViewerNamespace, served: Served, logins: ViewerLogins): void {
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
  namespace.on('connection', (socket: ViewerSocket) => {
    const { login } = socket.data
    void socket.join([loginRoom(login.loginId), personRoom(login.actor.userId)])
    // In its rooms by now: a change since the login was read has closed no socket yet, and from here on it does. What the page says
    // is heard from now on, and waits until it is admitted.
    listen(socket, served, login.actor)
    void served.rights.admit(socket).then(() => {
      if (socket.connected) socket.emit('storage', served.core.storage())
    })
  })
}

/** A program showed its token with the upgrade; a browser proves its key now, before it joins any room. */
async function judge(socket: ViewerSocket, { authenticate }: ViewerLogins): Promise<ViewerLogin | null> {
  const { authorization } = socket.request.headers
  if (authorization !== undefined) return authenticate({ ...socketRequest, authorization })
  const { data: shown } = Shown.safeParse(socket.handshake.auth)
  return shown ? authenticate({ ...socketRequest, proof: shown.proof }) : null
}

function listen(socket: ViewerSocket, served: Served, actor: Actor): void {
  const { core, rights, turns } = served
  const onFlood = () => setImmediate(() => socket.disconnect(true))
  const lane = new LinkLane({ turns, rules: viewerRules, flood: viewerFlood, onFlood })
  socket.on('disconnect', () => lane.close())
  const judged = <F extends FrameSpec>(run: Handler<F>['run']): Handler<F> => ({
    lane,
    run: (frame) => rights.judged(socket, () => run(frame)),
  })
  handleAll(socket, viewerToHub, {
    watch: judged((frame) => watch(socket, served, actor, frame)),
    unwatch: judged(({ sessionId }) => {
      void socket.leave(sessionRoom(sessionId))
      return {}
    }),
    'watch.inbox': judged(() => {
      requireCan(actor, 'session.read')
      void socket.join(inboxRoom(actor))
      return { rev: core.viewerReads.inboxRev() }
    }),
    'block.get': judged(async ({ sessionId, blockId, from }) => {
      await core.viewerReads.requireReader(actor, sessionId)
      return core.viewerReads.block(sessionId, blockId, from)
    }),
  })
}

async function watch(socket: ViewerSocket, served: Served, actor: Actor, wanted: Watch) {
  const { core, joining, attention } = served
  const { viewerReads: reads } = core
  const { sessionId, afterSeq, hubEpoch } = wanted
  const { agentId } = await reads.requireReader(actor, sessionId)
  const epoch = reads.hubEpoch()
  const read = async () => {
    const room = QUEUE_BYTES - backlogOf(socket).bytes
    const found = await reads.watched(sessionId, { after: afterSeq, maxEvents: QUEUE_FRAMES, maxBytes: room })
    if (!found) throw new CodedError('SESSION_NOT_FOUND')
    return found
  }
  const isFull = socket.rooms.size >= ROOMS_PER_SOCKET
  if (isFull || hubEpoch !== epoch) {
    const { head, tooFar } = await read()
    if (!tooFar && hubEpoch === epoch) throw new CodedError('RATE_LIMITED')
    return { head, hubEpoch: epoch, tooFar: true }
  }
  let head = 0
  const found = await joining.join(socket, {
    sessionId,
    read: async () => {
      const one = await read()
      head = one.head
      return one.tooFar ? null : one
    },
    first: ({ events, view }) => ({ after: afterSeq, events, view, blocks: reads.openBlocks(sessionId) }),
    joined: () => attention.begins(socket, sessionId, agentId),
  })
  return { head, hubEpoch: epoch, tooFar: found === null || found === 'overfull' }
}

/**
 * `/viewer`: people. Identity comes from the login behind the handshake and from nowhere else (T79). `watch` joins the
 * room first and reads second (VIEW-1); what is too much for one socket is left to HTTP (VIEW-4, VIEW-5).
 */
import {
  CodedError,
  type FrameSpec,
  type HubToViewer,
  type ViewerToHub,
  viewerToHub,
  type Watch,
} from '@roundhouse/backend-types'
import { type Actor, type GatewayServices, requireCan } from '../../core'
import { viewerFlood, viewerRules } from '../frames/frame-budgets'
import { type Handler, handleAll } from '../frames/frames'
import { LinkLane } from '../frames/link-lane'
import type { Turns } from '../frames/turns'
import type { PeopleNamespace } from '../people/people-namespace'
import type { PeopleRights } from '../people/people-rights'
import { backlogOf, QUEUE_BYTES, QUEUE_FRAMES } from '../people/socket-backlog'
import type { JoinThenRead } from './join-then-read'
import type { ViewerAttention } from './viewer-attention'
import { inboxRoom } from './viewer-rooms'
import type { ViewerSocket } from './viewer-socket'

/** A page watches one session; a person with many tabs has a socket for each. */
const ROOMS_PER_SOCKET = 64

export type Viewers = PeopleNamespace<ViewerToHub, HubToViewer>

interface Served {
  core: GatewayServices
  rights: PeopleRights
  joining: JoinThenRead
  attention: ViewerAttention
  turns: Turns
}

export function serveViewers(people: Viewers, served: Omit<Served, 'rights'>): void {
  const { rights } = people
  people.onEntry({
    connected: (socket) => listen(socket, { ...served, rights }, socket.data.login.actor),
    admitted: (socket) => void socket.emit('storage', served.core.storage()),
  })
}

function listen(socket: ViewerSocket, served: Served, actor: Actor): void {
  const { core, rights, turns, joining } = served
  const onFlood = () => setImmediate(() => socket.disconnect(true))
  const lane = new LinkLane({ turns, rules: viewerRules, flood: viewerFlood, onFlood })
  socket.on('disconnect', () => lane.close())
  const judged = <F extends FrameSpec>(run: Handler<F>['run']): Handler<F> => ({
    lane,
    run: (frame) => rights.judged(socket, () => run(frame)),
  })
  handleAll(socket, viewerToHub, {
    watch: {
      lane,
      run: (frame) => {
        joining.want(socket, frame.sessionId)
        return rights
          .judged(socket, () => watch(socket, served, actor, frame))
          .catch((error) => {
            joining.refused(socket, frame.sessionId)
            throw error
          })
      },
    },
    unwatch: {
      lane,
      run: ({ sessionId }) => {
        joining.leave(socket, sessionId)
        return rights.judged(socket, () => ({}))
      },
    },
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

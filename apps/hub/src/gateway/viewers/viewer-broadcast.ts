/**
 * From doorbells to rooms: one frame per committed batch, encoded once for all its viewers. A view is composed only where
 * somebody looks. Heads are repeated, so that a lost last message is found (VIEW-3). Every frame takes one
 * lane (`viewer-lane.ts`): a bell looks whether anybody watches, and the frame goes to whoever is in the room when it is sent.
 */
import type { StoredEvent } from '@roundhouse/backend-types'
import { type Actor, type DoorbellMap, type GatewayServices, isAudience, mayHaveAuthor, reaches } from '../../core'
import { backlogOf, isOverfull, LIVE_QUEUE_BYTES, whenDrained } from '../people/socket-backlog'
import type { ViewerLane } from '../people/viewer-lane'
import type { RoomFrame } from './held-frames'
import type { JoinThenRead } from './join-then-read'
import type { ViewerAttention } from './viewer-attention'
import { isInboxRoom, sessionOfRoom, sessionRoom } from './viewer-rooms'
import type { ViewerNamespace, ViewerSocket } from './viewer-socket'

export interface Sender {
  namespace: ViewerNamespace
  core: GatewayServices
  lane: ViewerLane
  joining: JoinThenRead
  attention: ViewerAttention
}

export function broadcastToViewers(sender: Sender): () => void {
  const { namespace, core, lane } = sender
  const { doorbells, viewerReads } = core
  const stops = [
    doorbells.on('events', (batch) => sendEvents(sender, batch)),
    doorbells.on('live', (batch) => sendLive(sender, batch)),
    doorbells.on('session', ({ sessionId }) => sendView(sender, sessionId)),
    doorbells.on('inbox', ({ rev, ...step }) => {
      if (inboxes(namespace).length === 0) return undefined
      return lane.sendPrepared(
        () => viewerReads.seenBy(step),
        (isSeen) => {
          for (const [room, actor] of inboxes(namespace)) if (isSeen(actor)) namespace.to(room).emit('inbox', { rev })
        },
      )
    }),
    doorbells.on('agent', ({ agentId }) =>
      lane.send(() => {
        for (const [room, actor] of inboxes(namespace)) {
          if (reaches(actor, agentId)) namespace.to(room).emit('agents', { agentId })
        }
      }),
    ),
    doorbells.on('peers', ({ of }) =>
      lane.send(() => {
        for (const [room, actor] of inboxes(namespace)) {
          if (of.some((peer) => isAudience(actor, peer))) namespace.to(room).emit('peers', {})
        }
      }),
    ),
    doorbells.on('storage', (storage) => lane.send(() => void namespace.emit('storage', storage))),
    // Whoever watches again hears that the session is gone, or that the epoch has changed.
    doorbells.on(
      'sessionRemoved',
      ({ sessionId }) => void namespace.in(sessionRoom(sessionId)).disconnectSockets(true),
    ),
    doorbells.on('hubEpoch', () => void namespace.disconnectSockets(true)),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** VIEW-3: each socket gets the heads of what it watches. */
export async function sendHeads({ namespace, core, lane, joining }: Sender): Promise<void> {
  const watched = new Set([...namespace.adapter.rooms.keys()].flatMap((room) => sessionOfRoom(room) ?? []))
  if (watched.size === 0) return
  await lane.sendPrepared(
    () => core.viewerReads.heads([...watched]),
    (heads) => {
      for (const socket of namespace.sockets.values()) {
        const mine: Record<string, number> = {}
        for (const room of socket.rooms) {
          const sessionId = sessionOfRoom(room)
          const head = sessionId === null ? undefined : heads.get(sessionId)
          if (sessionId === null || head === undefined || joining.isHeld(sessionId, socket.id)) continue
          mine[sessionId] = head.committed
        }
        if (Object.keys(mine).length > 0) socket.emit('heads', { heads: mine })
      }
    },
  )
}

function sendEvents(sender: Sender, { sessionId, events, head }: DoorbellMap['events']): Promise<void> | undefined {
  const { namespace, core, lane } = sender
  if (!isWatched(namespace, sessionId)) return undefined
  const tell = (told: StoredEvent[]) => {
    const bytes = told.reduce((sum, event) => sum + event.body.length + 200, 0)
    lagWhoIsFull(sender, { sessionId, head, bytes: () => bytes })
    others(sender, sessionId, { event: 'events', events: told }).emit('events', { sessionId, events: told })
  }
  if (!events.some(mayHaveAuthor)) return lane.send(() => tell(events))
  // Where nobody can be named, what happened is told all the same.
  return lane.sendPrepared(() => core.viewerReads.withAuthors(sessionId, events).catch(() => events), tell)
}

function sendView(sender: Sender, sessionId: string): Promise<void> | undefined {
  const { namespace, core, lane } = sender
  if (!isWatched(namespace, sessionId)) return undefined
  return lane.sendPrepared(
    () => headAndView(core, sessionId),
    (found) => {
      if (!found) return
      const { view, head } = found
      lagWhoIsFull(sender, { sessionId, head, bytes: once(() => JSON.stringify(view).length) })
      others(sender, sessionId, { event: 'session', view }).emit('session', view)
    },
  )
}

function sendLive(sender: Sender, batch: DoorbellMap['live']): Promise<void> | undefined {
  const { namespace, lane } = sender
  const { sessionId, frames } = batch
  if (!isWatched(namespace, sessionId)) return undefined
  return lane.send(() => {
    const slow = socketsIn(namespace, sessionRoom(sessionId)).filter(
      (socket) => backlogOf(socket).bytes > LIVE_QUEUE_BYTES,
    )
    others(sender, sessionId, { event: 'live', frames })
      .except(slow.map((socket) => socket.id))
      .emit('live', batch)
  })
}

async function headAndView({ viewerReads }: GatewayServices, sessionId: string) {
  const view = await viewerReads.view(sessionId)
  const head = (await viewerReads.heads([sessionId])).get(sessionId)
  return view && head ? { view, head: head.committed, agentId: head.agentId } : null
}

/** All who are in the room but those for whom the frame is held. */
function others({ namespace, joining }: Sender, sessionId: string, frame: RoomFrame) {
  return namespace.to(sessionRoom(sessionId)).except(joining.hold(sessionId, frame))
}

interface Full {
  sessionId: string
  head: number
  /** Asked only where something waits already. */
  bytes: () => number
}

/** VIEW-4. */
function lagWhoIsFull(sender: Sender, { sessionId, head, bytes }: Full): void {
  for (const socket of socketsIn(sender.namespace, sessionRoom(sessionId))) {
    if (sender.joining.isHeld(sessionId, socket.id)) continue
    const backlog = backlogOf(socket)
    if (backlog.bytes > 0 && isOverfull(backlog, bytes())) lag(sender, socket, sessionId, head)
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** It pages over HTTP, and comes back into the room when its socket has drained. */
function lag(sender: Sender, socket: ViewerSocket, sessionId: string, head: number): void {
  void socket.leave(sessionRoom(sessionId))
  socket.emit('lagged', { sessionId, head })
  whenDrained(socket, () => {
    comeBack(sender, socket, sessionId).catch((error) => sender.core.doorbells.failed(error))
  })
}

async function comeBack(sender: Sender, socket: ViewerSocket, sessionId: string): Promise<void> {
  const { core, joining, attention } = sender
  const back = await joining.join(socket, {
    sessionId,
    read: () => headAndView(core, sessionId),
    first: ({ head, view }) => ({ after: head, events: [], view, blocks: [] }),
    joined: ({ head, agentId }) => {
      attention.begins(socket, sessionId, agentId)
      socket.emit('lagged', { sessionId, head })
    },
  })
  if (back !== 'overfull') return
  const head = (await core.viewerReads.heads([sessionId])).get(sessionId)
  if (head && socket.connected) lag(sender, socket, sessionId, head.committed)
}

/** The watched inboxes, each with one of those who share it: all in a room see the same machines. */
function inboxes(namespace: ViewerNamespace): Array<[room: string, actor: Actor]> {
  return [...namespace.adapter.rooms.keys()].filter(isInboxRoom).flatMap((room): Array<[string, Actor]> => {
    const [socket] = socketsIn(namespace, room)
    return socket ? [[room, socket.data.login.actor]] : []
  })
}

function isWatched(namespace: ViewerNamespace, sessionId: string): boolean {
  return namespace.adapter.rooms.has(sessionRoom(sessionId))
}

function socketsIn(namespace: ViewerNamespace, room: string): ViewerSocket[] {
  const ids = namespace.adapter.rooms.get(room) ?? []
  return [...ids].map((id) => namespace.sockets.get(id)).filter((socket) => socket !== undefined)
}

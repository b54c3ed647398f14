/**
 * From doorbells to rooms: one frame per committed batch, encoded once for all its viewers. A view is composed only where
 * somebody looks. Heads are repeated, so that a lost last message is found (VIEW-3).
 */
import { type Actor, type Core, type DoorbellMap, eachApart, reaches, throwFirst } from '../core'
import { backlogOf, isOverfull, LIVE_QUEUE_BYTES, whenDrained } from './viewer-backlog'
import type { ViewerRights } from './viewer-rights'
import { isInboxRoom, sessionOfRoom, sessionRoom } from './viewer-rooms'
import type { ViewerNamespace, ViewerSocket } from './viewer-socket'

export function broadcastToViewers(namespace: ViewerNamespace, core: Core, rights: ViewerRights): () => void {
  const { doorbells, viewerReads } = core
  const stops = [
    // Registered first: whoever lost their rights has left the rooms before anything is said into them.
    ...(['events', 'live', 'session', 'inbox', 'agent', 'storage'] as const).map((bell) =>
      doorbells.on(bell, () => rights.enforce()),
    ),
    doorbells.on('events', (batch) => sendEvents(namespace, { core, rights }, batch)),
    doorbells.on('live', (batch) => sendLive(namespace, batch)),
    doorbells.on('session', ({ sessionId }) => sendView(namespace, { core, rights }, sessionId)),
    doorbells.on('inbox', ({ rev, sessionIds }) => {
      const errors = eachApart(inboxes(namespace), ([room, actor]) => {
        if (viewerReads.isForPerson(actor, sessionIds)) namespace.to(room).emit('inbox', { rev })
      })
      throwFirst(errors)
    }),
    doorbells.on('agent', ({ agentId }) => {
      for (const [room, actor] of inboxes(namespace)) {
        if (reaches(actor, agentId)) namespace.to(room).emit('agents', { agentId })
      }
    }),
    doorbells.on('storage', (storage) => void namespace.emit('storage', storage)),
    // Whoever watches again hears that the session is gone, or that the epoch has changed.
    doorbells.on('sessionRemoved', ({ sessionId }) => namespace.in(sessionRoom(sessionId)).disconnectSockets(true)),
    doorbells.on('hubEpoch', () => namespace.disconnectSockets(true)),
  ]
  const stopWatching = tellAttention(namespace, core)
  return () => {
    stopWatching()
    for (const stop of stops) stop()
  }
}

/** Each page that enters or leaves the room of a session, with whose it is. */
function tellAttention({ adapter, sockets }: ViewerNamespace, { attention }: Core): () => void {
  /** The library forgets a socket before its rooms. */
  const people = new Map<string, { userId: string; rooms: number }>()
  const begins = (room: string, socketId: string) => {
    const sessionId = sessionOfRoom(room)
    const userId = people.get(socketId)?.userId ?? sockets.get(socketId)?.data.login?.actor.userId
    if (sessionId === null || userId === undefined) return
    people.set(socketId, { userId, rooms: (people.get(socketId)?.rooms ?? 0) + 1 })
    attention.begins(sessionId, userId)
  }
  const ends = (room: string, socketId: string) => {
    const sessionId = sessionOfRoom(room)
    const person = people.get(socketId)
    if (sessionId === null || !person) return
    person.rooms -= 1
    if (person.rooms === 0) people.delete(socketId)
    attention.ends(sessionId, person.userId)
  }
  adapter.on('join-room', begins)
  adapter.on('leave-room', ends)
  return () => {
    adapter.off('join-room', begins)
    adapter.off('leave-room', ends)
  }
}

/** VIEW-3: each socket gets the heads of what it watches. */
export function sendHeads(namespace: ViewerNamespace, core: Core, rights: ViewerRights): void {
  rights.enforce()
  const watched = new Set([...namespace.adapter.rooms.keys()].flatMap((room) => sessionOfRoom(room) ?? []))
  const heads = new Map<string, number>()
  const errors = eachApart(watched, (sessionId) => {
    const head = core.viewerReads.head(sessionId)
    if (head !== undefined) heads.set(sessionId, head)
  })
  for (const socket of namespace.sockets.values()) {
    const mine: Record<string, number> = {}
    for (const room of socket.rooms) {
      const sessionId = sessionOfRoom(room)
      const head = sessionId === null ? undefined : heads.get(sessionId)
      if (sessionId !== null && head !== undefined) mine[sessionId] = head
    }
    if (Object.keys(mine).length > 0) socket.emit('heads', { heads: mine })
  }
  throwFirst(errors)
}

interface Sender {
  core: Core
  rights: ViewerRights
}

function sendEvents(
  namespace: ViewerNamespace,
  sender: Sender,
  { sessionId, events, head }: DoorbellMap['events'],
): void {
  const room = sessionRoom(sessionId)
  if (!isWatched(namespace, room)) return
  const bytes = events.reduce((sum, event) => sum + event.body.length + 200, 0)
  lagWhoIsFull(namespace, sender, { sessionId, head, bytes: () => bytes })
  namespace.to(room).emit('events', { sessionId, events })
}

function sendView(namespace: ViewerNamespace, sender: Sender, sessionId: string): void {
  const room = sessionRoom(sessionId)
  if (!isWatched(namespace, room)) return
  const { viewerReads } = sender.core
  const view = viewerReads.view(sessionId)
  const head = viewerReads.head(sessionId)
  if (!view || head === undefined) return
  lagWhoIsFull(namespace, sender, { sessionId, head, bytes: once(() => JSON.stringify(view).length) })
  namespace.to(room).emit('session', view)
}

/** VIEW-4: `bytes` is asked only where something waits already. */
function lagWhoIsFull(
  namespace: ViewerNamespace,
  sender: Sender,
  { sessionId, head, bytes }: { sessionId: string; head: number; bytes: () => number },
): void {
  const room = sessionRoom(sessionId)
  for (const socket of socketsIn(namespace, room)) {
    const backlog = backlogOf(socket)
    if (backlog.bytes > 0 && isOverfull(backlog, bytes())) lag(socket, sender, { sessionId, room, head })
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function lag(
  socket: ViewerSocket,
  sender: Sender,
  { sessionId, room, head }: { sessionId: string; room: string; head: number },
) {
  const { core, rights } = sender
  void socket.leave(room)
  socket.emit('lagged', { sessionId, head })
  whenDrained(socket, () => {
    rights.enforce()
    if (!socket.connected) return
    const now = core.viewerReads.head(sessionId)
    if (now === undefined) return
    void socket.join(room)
    socket.emit('lagged', { sessionId, head: now })
    const view = core.viewerReads.view(sessionId)
    if (view) socket.emit('session', view)
  })
}

function sendLive(namespace: ViewerNamespace, batch: DoorbellMap['live']): void {
  const room = sessionRoom(batch.sessionId)
  if (!isWatched(namespace, room)) return
  const slow = socketsIn(namespace, room).filter((socket) => backlogOf(socket).bytes > LIVE_QUEUE_BYTES)
  namespace
    .to(room)
    .except(slow.map((socket) => socket.id))
    .emit('live', batch)
}

/** The watched inboxes, each with one of those who share it: all in a room see the same machines. */
function inboxes(namespace: ViewerNamespace): Array<[room: string, actor: Actor]> {
  return [...namespace.adapter.rooms.keys()].filter(isInboxRoom).flatMap((room): Array<[string, Actor]> => {
    const [socket] = socketsIn(namespace, room)
    return socket ? [[room, socket.data.login.actor]] : []
  })
}

function isWatched(namespace: ViewerNamespace, room: string): boolean {
  return namespace.adapter.rooms.has(room)
}

function socketsIn(namespace: ViewerNamespace, room: string): ViewerSocket[] {
  const ids = namespace.adapter.rooms.get(room) ?? []
  return [...ids].map((id) => namespace.sockets.get(id)).filter((socket) => socket !== undefined)
}

/**
 * VIEW-1: a viewer joins the room of a session first, and the hub reads second. Until that read has ended, the hub holds what it
 * sends into the room for this viewer. The result of the read and the held frames take the lane of all frames (`viewer-lane.ts`).
 */

import { QUEUE_BYTES, QUEUE_FRAMES } from '../people/socket-backlog'
import type { ViewerLane } from '../people/viewer-lane'
import { HeldFrames, type ReadFirst, type RoomFrame } from './held-frames'
import { sessionRoom } from './viewer-rooms'
import type { ViewerSocket } from './viewer-socket'

/** A viewer that has joined one session and waits for its read. */
interface Entry {
  held: HeldFrames
  ended: Promise<void>
}

export interface Joining<T> {
  sessionId: string
  /** Null: the viewer does not stay. */
  read: () => Promise<T | null>
  /** Called when the frames are sent: what it takes from memory must be of that moment. */
  first: (found: T) => ReadFirst
  /** Called before the first frame. */
  joined: (found: T) => void
}

export class JoinThenRead {
  readonly #lane: ViewerLane
  /** By session, then by socket. */
  readonly #entries = new Map<string, Map<string, Entry>>()
  /** What each page looks at by its own last word, also while its watch is on its way or while it lags. */
  readonly #wanted = new WeakMap<ViewerSocket, Set<string>>()

  constructor(lane: ViewerLane) {
    this.#lane = lane
  }

  /** Keeps the frame for viewers that wait for their read. Ids of their sockets, to which nobody else sends it. */
  hold(sessionId: string, frame: RoomFrame): string[] {
    const waiting = this.#entries.get(sessionId) ?? new Map<string, Entry>()
    for (const { held } of waiting.values()) held.take(frame)
    return [...waiting.keys()]
  }

  /** Called the moment a page's frame begins, as `leave`: so that no watch ends behind the unwatch that followed it. */
  want(socket: ViewerSocket, sessionId: string): void {
    const sessions = this.#wanted.get(socket) ?? new Set<string>()
    this.#wanted.set(socket, sessions.add(sessionId))
  }

  leave(socket: ViewerSocket, sessionId: string): void {
    this.#wanted.get(socket)?.delete(sessionId)
    void socket.leave(sessionRoom(sessionId))
  }

  /** Its watch failed: nothing is kept of sessions in whose rooms it never was. */
  refused(socket: ViewerSocket, sessionId: string): void {
    if (!socket.rooms.has(sessionRoom(sessionId))) this.#wanted.get(socket)?.delete(sessionId)
  }

  isHeld(sessionId: string, socketId: string): boolean {
    return this.#entries.get(sessionId)?.has(socketId) === true
  }

  /** `overfull`: more frames came than a socket may have waiting (VIEW-4). Null: the viewer does not stay, or has left. */
  async join<T>(socket: ViewerSocket, joining: Joining<T>): Promise<T | 'overfull' | null> {
    const { sessionId } = joining
    // A viewer that watches again meanwhile gets a second read, after the first.
    for (let same = this.#of(sessionId, socket); same; same = this.#of(sessionId, socket)) await same.ended
    if (!this.#wanted.get(socket)?.has(sessionId)) return null
    const room = sessionRoom(sessionId)
    const wasInside = socket.rooms.has(room)
    const ended = new Ended()
    const entry: Entry = { held: new HeldFrames({ frames: QUEUE_FRAMES, bytes: QUEUE_BYTES }), ended: ended.promise }
    this.#put(sessionId, socket.id, entry)
    void socket.join(room)
    let stays = false
    try {
      const found = await joining.read()
      if (found === null) return null
      await this.#lane.send(() => {
        stays = !entry.held.isOverfull
        this.#remove(sessionId, socket.id, entry)
        if (stays && socket.connected && socket.rooms.has(room)) sendAll(socket, joining, found, entry.held)
      })
      return stays ? found : 'overfull'
    } finally {
      this.#remove(sessionId, socket.id, entry)
      if (!stays && (!wasInside || entry.held.isOverfull)) void socket.leave(room)
      ended.resolve()
    }
  }

  #of(sessionId: string, socket: ViewerSocket): Entry | undefined {
    return this.#entries.get(sessionId)?.get(socket.id)
  }

  #put(sessionId: string, socketId: string, entry: Entry): void {
    const ofSession = this.#entries.get(sessionId) ?? new Map<string, Entry>()
    this.#entries.set(sessionId, ofSession.set(socketId, entry))
  }

  #remove(sessionId: string, socketId: string, entry: Entry): void {
    const ofSession = this.#entries.get(sessionId)
    if (ofSession?.get(socketId) === entry) ofSession.delete(socketId)
    if (ofSession?.size === 0) this.#entries.delete(sessionId)
  }
}

function sendAll<T>(socket: ViewerSocket, { sessionId, first, joined }: Joining<T>, found: T, held: HeldFrames): void {
  joined(found)
  for (const frame of held.release(first(found))) emit(socket, sessionId, frame)
}

class Ended {
  resolve = () => {}
  readonly promise = new Promise<void>((resolve) => {
    this.resolve = resolve
  })
}

function emit(socket: ViewerSocket, sessionId: string, frame: RoomFrame): void {
  switch (frame.event) {
    case 'events':
      socket.emit('events', { sessionId, events: frame.events })
      return
    case 'live':
      socket.emit('live', { sessionId, frames: frame.frames })
      return
    case 'session':
      socket.emit('session', frame.view)
      return
  }
}

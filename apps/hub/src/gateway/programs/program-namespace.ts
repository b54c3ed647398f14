/**
 * `/events`: programs that speak on the bus. Who somebody is comes from the token behind the handshake and from nothing else.
 * `hello` begins a life; when the last connection of a token is gone, so is the peer (BUS-8).
 */
import {
  type BusMessage,
  CodedError,
  type HubToProgram,
  type PeerRole,
  type ProgramToHub,
  programToHub,
} from '@roundhouse/backend-types'
import type { DefaultEventsMap, Socket } from 'socket.io'
import type { BusLot, GatewayServices } from '../../core'
import { programFlood, programRules } from '../frames/frame-budgets'
import { handleAll } from '../frames/frames'
import { LinkLane } from '../frames/link-lane'
import type { Turns } from '../frames/turns'
import type { PeopleNamespace } from '../people/people-namespace'
import type { PersonData } from '../people/person-socket'
import { backlogOf, isOverfull, whenDrained } from '../people/socket-backlog'
import { ProgramFeed } from './program-feed'

export type Programs = PeopleNamespace<ProgramToHub, HubToProgram>
type ProgramSocket = Socket<ProgramToHub, HubToProgram, DefaultEventsMap, PersonData>

interface Served {
  core: Pick<GatewayServices, 'bus' | 'busConnections' | 'doorbells'>
  turns: Turns
  log: { warn(facts: object, text: string): void }
}

interface Room extends Served {
  programs: Programs
  feeds: Set<ProgramFeed>
  rows: (after: number) => Promise<BusLot>
  isClosing: () => boolean
}

export interface ServedPrograms {
  /** Whoever could not read tries again. */
  catchUp(): void
  /** The hub goes, its programs do not. */
  stop(): void
}

export function servePrograms(programs: Programs, served: Served): ServedPrograms {
  const feeds = new Set<ProgramFeed>()
  const { rows } = served.core.bus
  let closing = false
  const room: Room = { ...served, programs, feeds, rows, isClosing: () => closing }
  programs.onEntry({ connected: (socket) => listen(socket, room), admitted: () => {} })
  let isNews = false
  const wake = () => {
    isNews = false
    if (closing) return
    for (const feed of feeds) feed.wake()
  }
  // Whatever one commit stored is told once.
  const silence = served.core.doorbells.on('bus', () => {
    if (!isNews) setImmediate(wake)
    isNews = true
  })
  return {
    catchUp() {
      for (const feed of feeds) feed.catchUp()
    },
    stop() {
      closing = true
      silence()
    },
  }
}

function listen(socket: ProgramSocket, room: Room): void {
  const { core, programs, turns, feeds, rows, log } = room
  const { actor } = socket.data.login
  const onFlood = () => setImmediate(() => socket.disconnect(true))
  const lane = new LinkLane({ turns, rules: programRules, flood: programFlood, onFlood })
  const onError = (error: unknown) => log.warn({ error: String(error) }, 'a program of the bus could not be served')
  const feed = new ProgramFeed({ socket: feedSocket(socket), lane: programs.lane, rows, onError })
  /** `name`: what it calls itself. */
  let joined: { peerId: string; role: PeerRole; name: string | undefined } | null = null
  let saidBye = false
  const requireJoined = () => {
    if (!joined) throw new CodedError('FORBIDDEN', 'Say hello first.')
    core.bus.seen(joined.peerId)
    return joined
  }
  const judged = <T>(work: () => Promise<T> | T) => programs.rights.judged(socket, work)
  handleAll(socket, programToHub, {
    hello: {
      lane,
      run: (wanted) =>
        judged(async () => {
          if (joined) throw new CodedError('INVALID_ARGUMENT', 'Hello was said before.')
          const welcome = await core.bus.join(actor, wanted)
          if (!socket.connected) throw new CodedError('AUTH_REQUIRED')
          const { peerId, role } = welcome
          joined = { peerId, role, name: wanted.name }
          core.busConnections.connected(peerId)
          feeds.add(feed)
          return welcome
        }),
    },
    subscribe: {
      lane,
      run: ({ patterns, after }) =>
        judged(async () => {
          const { role } = requireJoined()
          const newest = await core.bus.newest()
          const from = Math.min(after ?? newest, newest)
          feed.want(core.bus.eye(actor, role, patterns), from)
          return { after: from, newest }
        }),
    },
    publish: {
      lane,
      run: ({ messages }) =>
        judged(() => {
          const { role, name } = requireJoined()
          return core.bus.publish(actor, messages, { role, name })
        }),
    },
    bye: {
      lane,
      run: () => {
        saidBye = true
        return {}
      },
    },
  })
  socket.on('disconnect', (why) => {
    lane.close()
    feeds.delete(feed)
    if (!joined || !core.busConnections.disconnected(joined.peerId) || room.isClosing()) return
    core.bus.leave(joined.peerId, saidBye ? 'clean' : reasonOf(why)).catch(onError)
  })
}

/** A socket that breaks is a crash; one that either side closed is not. */
function reasonOf(why: string): 'clean' | 'crash' | 'timeout' {
  if (why === 'ping timeout') return 'timeout'
  return why.endsWith('namespace disconnect') ? 'clean' : 'crash'
}

const feedSocket = (socket: ProgramSocket) => ({
  get connected() {
    return socket.connected
  },
  send: (frame: Parameters<HubToProgram['message']>[0]) => void socket.emit('message', frame),
  isFull: (messages: BusMessage[]) => {
    const backlog = backlogOf(socket as Socket)
    return backlog.bytes > 0 && isOverfull(backlog, JSON.stringify(messages).length)
  },
  whenDrained: (then: () => void) => whenDrained(socket as Socket, then),
})

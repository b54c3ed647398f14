/** The store of the bus: its messages, in dense offsets, and its peers. */
import type { BusData } from '@roundhouse/backend-types'
import type { RightsGuard } from '../access/standing'
import type { AskStep, AskStore } from './ask-store'
import type { BusAudience, PeerRow } from './bus-peers'
import type { WriteTx } from './stores'

export type { BusAudience, LeftReason, PeerFacts, PeerKind, PeerRow, PeerState } from './bus-peers'

export interface NewBusRow extends BusAudience {
  topic: string
  fromPeer: string
  messageId: string
  correlationId: string | null
  parentId: string | null
  fromName: string
  terminalId: string | null
  publishedAt: string
  storedAt: number
  schema: string
  data: BusData
  /** The peer that it is about or for. */
  subject: string | null
  /** It is erased with this session. */
  sessionId: string | null
}

export type BusRow = NewBusRow & { offset: number }

export interface BusWrite {
  rows: readonly NewBusRow[]
  asks?: readonly AskStep[]
  peers?: readonly PeerRow[]
  tasks?: readonly BusTask[]
}

/** Of the tasks that one person assigned. The oldest give way. */
export const TASKS_KEPT = 2_000

/** A task belongs to the person who assigned it. Two people may give the same name to theirs. */
export interface BusTask {
  taskId: string
  peerId: string
  ownerId: string
}

export interface Appended {
  offset: number
  isNew: boolean
}

/** The room that messages take, in bytes. */
export interface BusVolume {
  /** Of one peer. */
  own: number
  /** Of a person and all their programs. */
  person: number
  /** Of all people and their programs: without sessions and the hub. */
  people: number
  all: number
}

/** `damaged`: how many rows cannot be read. They are left out, and written anew when their peers speak. */
export interface PeersRead {
  peers: PeerRow[]
  damaged: number
}

/** `next` and `isEnd` count erased and damaged rows too. */
export interface BusPart {
  rows: BusRow[]
  /** After these. */
  next: number
  /** Nothing was behind them when they were read. */
  isEnd: boolean
  /** Offsets of rows that cannot be read. */
  damaged: number[]
}

export interface BusStore extends AskStore {
  volume(peerId: string, userId: string): Promise<BusVolume>
  /** Offsets of the oldest and the newest message; both 0 where there is none. */
  bounds(): Promise<{ oldest: number; newest: number }>
  /** In the order of their offsets, without erased and damaged ones. */
  after(offset: number, limit: { rows: number; chars: number }): Promise<BusPart>
  at(offset: number): Promise<BusRow | undefined>
  /** Offsets of messages of a peer that are there already, by id. */
  known(fromPeer: string, messageIds: readonly string[]): Promise<Map<string, number>>
  /** All programs and people, and of the sessions so many that spoke last, the newest last. */
  peers(sessions: number): Promise<PeersRead>
  peersById(peerIds: readonly string[]): Promise<PeersRead>
  /** The newest last, without damaged ones. */
  tasks(): Promise<BusTask[]>
  /** Of the tasks that a person assigned, only the newest stay. One result for each row, in order. A row whose peer and id are there already is not written again. */
  append(write: BusWrite, guard?: RightsGuard): Promise<Appended[]>
  /** In the transaction of a follower or a person. */
  appendIn(tx: WriteTx, write: BusWrite): Promise<void>
  /** Its messages keep their offsets and nothing else. In the transaction of a follower. */
  eraseIn(tx: WriteTx, sessionId: string): Promise<void>
  /** Of messages stored before this time, at most so many, never the newest, and of asks closed before it all. Returns how many messages are gone. */
  forgetBefore(time: number, most: number): Promise<number>
  /** Where the messages of sessions take more than so many bytes together: the oldest of the session whose messages take most, at most so many, never the newest. Returns how many are gone. */
  forgetOfSessions(bytes: number, most: number): Promise<number>
}

/**
 * The bus: programs with a token publish here, sessions through their logs (`sessions`), and everybody reads one
 * table in one order. A message is stored before anybody hears of it, so a reader that missed one reads it again from its offset.
 */
import {
  type BusMessage,
  type BusWelcome,
  CodedError,
  type MessagesPage,
  type MessagesQuery,
  type PeerRole,
  type PeersList,
  type PublishAnswer,
  type Published,
} from '@roundhouse/backend-types'
import { topicMatcher } from '@roundhouse/bus'
import { failpoint } from '@roundhouse/failpoint'
import { type Actor, busRole } from '../access/access'
import { PersonTurns } from '../common/person-turns'
import { nameOfPeer } from '../names/peer-name'
import type { BusRow, BusStore, LeftReason, PeerRow } from '../ports/bus-store'
import type { Reads } from '../ports/stores'
import { toMessage } from './messages/bus-messages'
import { askStepOf } from './messages/open-asks'
import { type Arrivals, guardOf, type Wanted } from './peers/arrivals'
import type { BusClock } from './peers/bus-clock'
import { type PeerBook, peerIdOf } from './peers/peer-book'
import { peerView } from './peers/peer-view'
import type { TaskOwners } from './peers/task-owners'
import type { ToldLimit } from './peers/told-limit'
import { type BusLimits, BusPace, defaultLimits } from './publishing/bus-pace'
import { BUS_BYTES, roomOf } from './publishing/bus-room'
import { idsOf, isOfTask, judgeBatch, namedPeers, tooFast } from './publishing/judge-batch'
import { type SessionCommand, takeCommands } from './publishing/taken-commands'
import { isAudience, maySee, maySeePeer, sightOf, type Viewer } from './reading/bus-sight'
import { withoutDamaged } from './reading/damaged-rows'
import { sharedReads } from './reading/shared-reads'

export interface BusDeps {
  bus: BusStore
  arrivals: Arrivals
  book: PeerBook
  busClock: Pick<BusClock, 'isConnected'>
  told: ToldLimit
  taskOwners: TaskOwners
  now: () => number
  elapsed: () => number
  limits?: BusLimits
  /** What all messages may take. */
  roomBytes?: number | undefined
  /** What is said to a managed session is a command of it. Throws where it cannot be. */
  commandSession: (actor: Actor, command: SessionCommand) => Promise<{ commandId: string } | null>
  reads: Pick<Reads, 'sessions'>
  log: { warn(facts: object, text: string): void }
}

/** A part of the table, for everybody who is at this place of it. */
export interface BusLot {
  rows: BusRow[]
  /** After these. */
  next: number
  /** Nothing was behind them when they were read. */
  isEnd: boolean
}

/** Null: not wanted, or not theirs to see. */
export type BusEye = (row: BusRow) => BusMessage | null

export interface BusApi {
  publish(actor: Actor, messages: readonly unknown[], wanted?: Wanted): Promise<PublishAnswer>
  page(actor: Actor, query: MessagesQuery): Promise<MessagesPage>
  peers(actor: Actor): Promise<PeersList>
  /** Throws `FORBIDDEN` unless it may speak on the bus. */
  join(actor: Actor, wanted: Wanted): Promise<BusWelcome>
  /** Its last connection is gone. */
  leave(peerId: string, reason: LeftReason): Promise<void>
  /** It gave a sign of life. */
  seen(peerId: string): void
  newest(): Promise<number>
  rows(after: number): Promise<BusLot>
  eye(actor: Actor, role: PeerRole, patterns: readonly string[]): BusEye
  /** Undefined: it is gone, erased or damaged. */
  at(offset: number): Promise<BusRow | undefined>
  /** With what a person may see; null: nothing. */
  sight(actor: Actor, patterns: readonly string[]): Promise<BusEye | null>
}

/** Rows that one read looks at, whether or not the reader may see them. */
const ROWS_AT_ONCE = 1_000
const CHARS_AT_ONCE = 524_288
const MOST_SCANNED = 10_000

export function createBus(deps: BusDeps): BusApi {
  const { arrivals, book, busClock, taskOwners, now, elapsed, limits = defaultLimits, roomBytes = BUS_BYTES } = deps
  const bus = { ...deps.bus, after: withoutDamaged(deps.bus.after, deps.log) }
  const pace = new BusPace(limits)
  const room = roomOf(roomBytes)
  const pages = new PersonTurns()
  const rows = sharedReads(async (after) => {
    failpoint('hub.bus.read')
    await taskOwners.refresh()
    return bus.after(after, { rows: ROWS_AT_ONCE, chars: CHARS_AT_ONCE })
  })

  const viewerOf = (actor: Actor, role: Viewer['role']): Viewer => {
    const peerId = peerIdOf(actor)
    return {
      actor,
      peerId,
      role,
      taskOwners: (of, taskId) => book.taskOwners(of, taskId),
      ownerSees: (ownerId, audience) => taskOwners.sees(ownerId, audience),
    }
  }
  const requireSight = (actor: Actor): Viewer => {
    const role = sightOf(actor, busRole(actor))
    if (!role) throw new CodedError('FORBIDDEN', undefined, { action: 'session.read' })
    return viewerOf(actor, role)
  }

  const roleIdOf = async (sessionId: string) => (await deps.reads.sessions.find(sessionId))?.settings.roleId ?? null

  return {
    newest: async () => (await bus.bounds()).newest,
    seen: (peerId) => arrivals.seen(peerId),
    join: (actor, wanted) =>
      arrivals.inTurn(peerIdOf(actor), async () => {
        const { peerId, role, name } = await arrivals.arrive(actor, wanted)
        return { peerId, role, name, newest: (await bus.bounds()).newest, limits }
      }),
    leave: (peerId, reason) => arrivals.leave(peerId, reason),
    publish: (actor, messages, wanted = {}) =>
      arrivals.inTurn(peerIdOf(actor), async () => {
        const peer = await arrivals.arrive(actor, wanted)
        const { peerId, role } = peer
        const viewer = viewerOf(actor, role)
        const find = await book.recall(namedPeers(messages))
        if (messages.some(isOfTask)) await taskOwners.refresh()
        const target = (id: string) => {
          const found = find(id)
          return found && maySeePeer(viewer, found) ? found : undefined
        }
        const judged = judgeBatch(messages, {
          peer,
          pace,
          messageBytes: limits.messageBytes,
          room,
          volume: await bus.volume(peerId, actor.userId),
          now: now(),
          elapsed: elapsed(),
          ownerId: actor.userId,
          nameOf: (claim) => nameOfPeer(actor, claim),
          hasTask: (taskId) => taskOwners.hasTask(peer, taskId),
          isKin: (id) => {
            const found = find(id)
            return found !== undefined && id !== peerId && isAudience(actor, found)
          },
          target,
          known: await bus.known(peerId, idsOf(messages)),
        })
        const { tasks, forced } = judged
        const draft = deps.told.draft()
        const told = draft.limit(judged.told)
        const { rows, told: named } = await takeCommands(judged, {
          by: actor.name,
          peers: () => book.all(),
          maySee: (one) => maySeePeer(viewer, one),
          roleIdOf,
          charge: (count) => {
            const exceeded = pace.takeMore(peerId, count, elapsed())
            if (exceeded) throw tooFast(exceeded)
          },
          command: (command) => deps.commandSession(actor, command),
        })
        const after = { ...judged.peer, seenAt: now(), state: 'here' as const }
        const peers = judged.peer === peer ? [] : [after]
        const asking = rows.flatMap((row) => {
          const step = askStepOf(row, actor.name)
          return step ? [{ row, step }] : []
        })
        const isNews = rows.length + told.length + peers.length > 0
        const write = { rows: [...rows, ...told], peers, tasks, asks: [...asking.map(({ step }) => step), ...named] }
        const appended = isNews ? await bus.append(write, guardOf(actor, now)) : []
        draft.count()
        book.put(after)
        book.tasksGiven(tasks)
        if (tasks.length > 0) taskOwners.assigned(actor)
        if (rows.length + told.length > 0)
          arrivals.changed(
            asking.map(({ row }) => row),
            asking.map(({ step }) => step),
          )
        for (const one of forced) arrivals.force(one)
        const offsets = appended.values()
        const results = judged.results.map((result): Published => {
          if (result) return result
          const { offset = 0, isNew = false } = offsets.next().value ?? {}
          return { ok: true, offset, duplicate: !isNew }
        })
        return { results }
      }),
    async page(actor, { after, pattern, limit }) {
      const viewer = requireSight(actor)
      await book.ready()
      return pages.take(actor, async () => {
        const { oldest, newest } = await bus.bounds()
        const { messages, next } = await read(rows, eyeOf(viewer, [pattern]), { after, limit })
        return { items: messages, next, isEnd: next >= newest, oldest }
      })
    },
    async peers(actor) {
      const viewer = requireSight(actor)
      await book.ready()
      const asks = await bus.asks()
      // One that waits for an answer is shown, however long it has been silent.
      const find = await book.recall([...asks.keys()])
      const waiting = [...asks.keys()].flatMap((peerId) => find(peerId) ?? [])
      const seen = [...new Set([...book.all(), ...waiting])].filter((peer) => maySeePeer(viewer, peer))
      const view = (peer: PeerRow) => {
        const { peerId } = peer
        return peerView(peer, { asks: asks.get(peerId) ?? [], connected: busClock.isConnected(peerId), now: now() })
      }
      return { items: seen.map(view) }
    },
    rows,
    at: (offset) => bus.at(offset),
    async sight(actor, patterns) {
      await book.ready()
      const role = sightOf(actor, busRole(actor))
      return role && eyeOf(viewerOf(actor, role), patterns)
    },
    eye: (actor, role, patterns) => eyeOf(viewerOf(actor, role), patterns),
  }
}

function eyeOf(viewer: Viewer, patterns: readonly string[]): BusEye {
  const wants = topicMatcher(patterns)
  return (row) => (wants(row.topic) && maySee(viewer, row) ? toMessage(row) : null)
}

interface Page {
  messages: BusMessage[]
  next: number
}

/** Looks at a limited number of rows, so that somebody who may see little costs no more than others. */
async function read(
  rows: BusApi['rows'],
  eye: BusEye,
  { after, limit }: { after: number; limit: number },
): Promise<Page> {
  const messages: BusMessage[] = []
  let next = after
  for (let scanned = 0; scanned < MOST_SCANNED && messages.length < limit; scanned += ROWS_AT_ONCE) {
    const lot = await rows(next)
    for (const row of lot.rows) {
      if (messages.length >= limit) return { messages, next }
      next = row.offset
      const message = eye(row)
      if (message) messages.push(message)
    }
    next = lot.next
    if (lot.isEnd) break
  }
  return { messages, next }
}

/**
 * The bus: programs with a token publish here, sessions through their logs (`published-follower.ts`), and everybody reads one
 * table in one order. A message is stored before anybody hears of it, so a reader that missed one reads it again from its offset.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
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
import { type Actor, busRole } from '../access/access'
import { type RightsGuard, requireStill } from '../access/standing'
import type { Doorbells } from '../doorbells/doorbells'
import type { BusAudience, BusRow, BusStore, LeftReason, PeerRow } from '../ports/bus-store'
import { toMessage } from './bus-messages'
import { type BusLimits, BusPace, defaultLimits } from './bus-pace'
import { maySee, maySeePeer, sightOf, type Viewer } from './bus-sight'
import { type CommandingDeps, commandSessions } from './command-sessions'
import { withoutDamaged } from './damaged-rows'
import { idsOf, isOfTask, judgeBatch, namedPeers } from './judge-batch'
import { askStepsOf } from './open-asks'
import { peerIdOf } from './peer-book'
import { type Changed, join, leave, written } from './peer-life'
import { peerView } from './peer-view'
import type { TaskOwners } from './task-owners'
import type { ToldLimit } from './told-limit'

export interface BusDeps extends Omit<CommandingDeps, 'pace'> {
  bus: BusStore
  told: ToldLimit
  taskOwners: TaskOwners
  doorbells: Doorbells
  now: () => number
  limits?: BusLimits
  log: { warn(facts: object, text: string): void }
}

export interface Wanted {
  role?: PeerRole | undefined
  name?: string | undefined
}

/** A part of the table, for everybody who is at this place of it. */
export interface BusLot {
  rows: BusRow[]
  /** After these. The same as before: there is nothing more. */
  next: number
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
}

/** Rows that one read looks at, whether or not the reader may see them. */
const ROWS_AT_ONCE = 1_000
const CHARS_AT_ONCE = 524_288
const MOST_SCANNED = 10_000

export function createBus(deps: BusDeps): BusApi {
  const { book, taskOwners, doorbells, now, elapsed, limits = defaultLimits } = deps
  const bus = { ...deps.bus, after: withoutDamaged(deps.bus.after, deps.log) }
  const pace = new BusPace(limits)
  const lanes = new Map<string, Promise<unknown>>()

  /** One after the other for each peer: a phase is judged by the one before it. */
  const inTurn = <T>(peerId: string, work: () => Promise<T>): Promise<T> => {
    const before = lanes.get(peerId) ?? Promise.resolve()
    const turn = before.then(work, work)
    const quiet = turn.catch(() => {})
    lanes.set(peerId, quiet)
    void quiet.then(() => {
      if (lanes.get(peerId) === quiet) lanes.delete(peerId)
    })
    return turn
  }

  const changed = (of: readonly BusAudience[]) => {
    doorbells.ring('bus', {})
    if (of.length > 0) doorbells.ring('peers', { of })
  }
  const commit = async (change: Changed, guard?: RightsGuard) => {
    const { peer } = change
    const draft = deps.told.draft()
    const { rows, ...write } = written(change)
    await bus.append({ ...write, rows: draft.limit(rows) }, guard)
    draft.count()
    book.put(peer)
    changed([peer])
    return peer
  }

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

  /** The peer as it is now, alive. Called in its turn. */
  const arrive = async (actor: Actor, { role: asked, name }: Wanted, guard?: RightsGuard): Promise<PeerRow> => {
    const most = busRole(actor)
    if (!most || (asked === 'orchestrator' && most === 'worker')) throw new CodedError('FORBIDDEN')
    await book.ready()
    const peerId = peerIdOf(actor)
    const known = book.get(peerId)
    const role = asked ?? (known && known.state !== 'left' && most === 'orchestrator' ? known.role : most)
    const kind = actor.credential.kind === 'token' ? 'token' : 'person'
    const newcomer = {
      peerId,
      kind,
      role,
      name: (name ?? actor.name).slice(0, 128),
      agentId: null,
      userId: actor.userId,
    } as const
    if (!known || known.state === 'left' || known.role !== role) return commit(join(newcomer, now()), guard)
    const peer: PeerRow = { ...known, name: name ?? known.name, seenAt: now(), state: 'here' }
    book.put(peer)
    return peer
  }

  return {
    newest: async () => (await bus.bounds()).newest,
    seen(peerId) {
      const peer = book.get(peerId)
      if (peer && peer.state !== 'left') book.put({ ...peer, seenAt: now(), state: 'here' })
    },
    join: (actor, wanted) =>
      inTurn(peerIdOf(actor), async () => {
        const { peerId, role, name } = await arrive(actor, wanted, guardOf(actor, now))
        return { peerId, role, name, newest: (await bus.bounds()).newest, limits }
      }),
    leave: (peerId, reason) =>
      inTurn(peerId, async () => {
        await book.ready()
        const peer = book.get(peerId)
        if (!peer || peer.state === 'left') return
        await commit(leave(peer, peer.facts.completed ? 'clean' : reason, now()))
      }),
    publish: (actor, messages, wanted = {}) =>
      inTurn(peerIdOf(actor), async () => {
        const guard = guardOf(actor, now)
        const peer = await arrive(actor, wanted, guard)
        const { peerId, role } = peer
        const viewer = viewerOf(actor, role)
        await book.recall(namedPeers(messages))
        if (messages.some(isOfTask)) await taskOwners.refresh()
        const target = (id: string) => {
          const found = book.get(id)
          return found && maySeePeer(viewer, found) ? found : undefined
        }
        const judged = judgeBatch(messages, {
          peer,
          pace,
          messageBytes: limits.messageBytes,
          now: now(),
          elapsed: elapsed(),
          ownerId: actor.userId,
          hasTask: (taskId) => taskOwners.hasTask(peer, taskId),
          target,
          known: await bus.known(peerId, idsOf(messages)),
        })
        const { tasks } = judged
        const draft = deps.told.draft()
        const told = draft.limit(judged.told)
        const { rows, commands } = await commandSessions(judged, { actor, viewer }, { ...deps, pace })
        const after = { ...judged.peer, seenAt: now(), state: 'here' as const }
        const peers = judged.peer === peer ? [] : [after]
        const asking = rows.filter((row) => askStepsOf([row]).length > 0)
        const isNews = rows.length + told.length + peers.length > 0
        const write = { rows: [...rows, ...told], peers, tasks, asks: askStepsOf(rows) }
        const appended = isNews ? await bus.append(write, guard) : []
        draft.count()
        book.put(after)
        book.tasksGiven(tasks)
        if (tasks.length > 0) taskOwners.assigned(actor)
        if (rows.length + told.length > 0) changed(asking)
        let next = 0
        const results = judged.results.map((result): Published => {
          if (result) return result
          const { offset = 0, isNew = false } = appended[next] ?? {}
          const of = commands[next++]
          return { ok: true, offset, duplicate: !isNew, ...(of === undefined ? {} : { commands: of }) }
        })
        return { results }
      }),
    async page(actor, { after, pattern, limit }) {
      const viewer = requireSight(actor)
      await book.ready()
      await taskOwners.refresh()
      const { oldest, newest } = await bus.bounds()
      const { messages, next } = await read(bus, eyeOf(viewer, [pattern]), { after, limit })
      return { items: messages, next, isEnd: next >= newest, oldest }
    },
    async peers(actor) {
      const viewer = requireSight(actor)
      await book.ready()
      const asks = await bus.asks()
      // One that waits for an answer is shown, however long it has been silent.
      await book.recall([...asks.keys()])
      const seen = book.all().filter((peer) => maySeePeer(viewer, peer))
      return { items: seen.map((peer) => peerView(peer, asks.get(peer.peerId) ?? [], now())) }
    },
    async rows(after) {
      await taskOwners.refresh()
      return bus.after(after, { rows: ROWS_AT_ONCE, chars: CHARS_AT_ONCE })
    },
    eye: (actor, role, patterns) => eyeOf(viewerOf(actor, role), patterns),
  }
}

/** The rights by which the message was taken still hold when it is written (AUTH-1). */
const guardOf = (actor: Actor, now: () => number): RightsGuard => ({
  credential: actor.credential,
  require: (standing) => requireStill(actor, standing, now()),
})

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
  bus: Pick<BusStore, 'after'>,
  eye: BusEye,
  { after, limit }: { after: number; limit: number },
): Promise<Page> {
  const messages: BusMessage[] = []
  let next = after
  for (let scanned = 0; scanned < MOST_SCANNED && messages.length < limit; scanned += ROWS_AT_ONCE) {
    if (scanned > 0) await nextTurn() // others are served between two reads
    const lot = await bus.after(next, { rows: ROWS_AT_ONCE, chars: CHARS_AT_ONCE })
    if (lot.next === next) break
    for (const row of lot.rows) {
      if (messages.length >= limit) return { messages, next }
      next = row.offset
      const message = eye(row)
      if (message) messages.push(message)
    }
    next = lot.next
  }
  return { messages, next }
}

/** The hub's side of viewers: snapshots, pages, pushes, heads, and what people do. */
import type { CommandBody, LiveFrame, PermissionAnswer, StoredEvent } from '@roundhouse/backend-types'
import { lastSeq } from '../../index'
import type { ViewerChannel } from '../viewer/viewer'
import type { Hub } from './hub'
import { addCommand, type Decision, type HubDb, setRequest } from './hub-db'

export interface SnapshotReply {
  hubEpoch: string
  head: number
  events: readonly StoredEvent[]
}

export interface InboxReply {
  pending: Array<{ sessionId: string; requestId: string; procId: string; digest: string }>
  held: string[]
  running: Array<{ sessionId: string; turnId: string }>
  queued: Array<{ sessionId: string; promptId: string; rev: number }>
}

/** A person's action, with the id that makes a repeat the same action. */
export type Action =
  | { kind: 'command'; commandId: string; sessionId: string; body: CommandBody; ordered: boolean; lifeMs: number }
  | {
      kind: 'decide'
      commandId: string
      sessionId: string
      requestId: string
      procId: string
      answer: PermissionAnswer
      digest: string
    }

export type ActionReply =
  | 'ok'
  | 'EPOCH_CHANGED'
  | 'PERMISSION_ALREADY_DECIDED'
  | 'REQUEST_GONE'
  | 'DIGEST_MISMATCH'
  | 'NOT_FOUND'

/** A viewer further behind takes a snapshot (VIEW-5), and a page is no longer than this. */
const farLimit = 60
const pageLimit = 20

export class ViewerSide {
  readonly #hub: Hub
  /** Per viewer and session: how far it was sent. */
  readonly #watching = new Map<ViewerChannel, Map<string, number>>()

  constructor(hub: Hub) {
    this.#hub = hub
  }

  accept(channel: ViewerChannel): void {
    if (this.#watching.has(channel)) return
    this.#watching.set(channel, new Map())
    const { epoch } = this.#hub.disk.durable
    channel.toClient((viewer) => viewer.welcomed(channel, epoch))
  }

  closed(channel: ViewerChannel): void {
    this.#watching.delete(channel)
  }

  closeAll(): void {
    for (const channel of this.#watching.keys()) channel.close('hub')
    this.#watching.clear()
  }

  /** VIEW-1. Only what is safe on disk is ever shown. */
  snapshot(sessionId: string, reply: (r: SnapshotReply | null) => void): void {
    const { sessions, epoch } = this.#hub.disk.durable
    const session = sessions[sessionId]
    reply(session ? { hubEpoch: epoch, head: session.committed, events: session.rows.slice(-pageLimit) } : null)
  }

  page(sessionId: string, after: number, upTo: number, reply: (r: SnapshotReply) => void): void {
    const { sessions, epoch } = this.#hub.disk.durable
    const session = sessions[sessionId]
    const events = (session?.rows ?? []).filter((row) => lastSeq(row) > after && row.seq <= upTo).slice(0, pageLimit)
    reply({ hubEpoch: epoch, head: session?.committed ?? 0, events })
  }

  watch(
    channel: ViewerChannel,
    sessionId: string,
    afterSeq: number,
    hubEpoch: string,
    reply: (r: 'ok' | 'snapshot') => void,
  ): void {
    const { sessions, epoch } = this.#hub.disk.durable
    const session = sessions[sessionId]
    if (!session || hubEpoch !== epoch || session.committed - afterSeq > farLimit) {
      reply('snapshot')
      return
    }
    this.#watching.get(channel)?.set(sessionId, afterSeq)
    reply('ok')
    this.#catchUp(channel, sessionId)
  }

  push(sessionId: string): void {
    for (const channel of this.#watching.keys()) this.#catchUp(channel, sessionId)
  }

  live(frame: LiveFrame): void {
    for (const [channel, sessions] of this.#watching) {
      if (sessions.has(frame.sessionId)) channel.toClient((viewer) => viewer.live(frame))
    }
  }

  /** VIEW-3. */
  sendHeads(): void {
    const { sessions } = this.#hub.disk.durable
    for (const [channel, watched] of this.#watching) {
      for (const sessionId of watched.keys()) {
        const head = sessions[sessionId]?.committed ?? 0
        channel.toClient((viewer) => viewer.head(channel, sessionId, head))
      }
    }
  }

  inbox(reply: (r: InboxReply) => void): void {
    const { requests } = this.#hub.disk.durable
    const states = [...this.#hub.agents.states.values()]
    reply({
      pending: Object.values(requests)
        .filter(({ register }) => register.decision === null && register.outcome === 'open')
        .map(({ sessionId, ask: { requestId, procId, digest } }) => ({ sessionId, requestId, procId, digest })),
      held: states.filter(({ queueHeld }) => queueHeld).map(({ sessionId }) => sessionId),
      running: states.flatMap(({ sessionId, turnId }) => (turnId === undefined ? [] : [{ sessionId, turnId }])),
      queued: states.flatMap(({ sessionId, queue }) =>
        queue.map(({ promptId, rev }) => ({ sessionId, promptId, rev })),
      ),
    })
  }

  /** CMD-1: stored with its command in one transaction; a repeat gets the first answer. */
  act(action: Action, hubEpoch: string, reply: (r: ActionReply) => void): void {
    const hub = this.#hub
    const { db } = hub
    // A hub that was put back has forgotten which actions it knows: the person must look before repeating one.
    if (hubEpoch !== db.epoch) {
      reply('EPOCH_CHANGED')
      return
    }
    if (action.commandId in db.commands) {
      hub.disk.flush(hub, () => reply('ok'))
      return
    }
    const session = db.sessions[action.sessionId]
    if (!session) {
      reply('NOT_FOUND')
      return
    }
    if (action.kind === 'command') {
      const cmdSeq = action.ordered ? session.lastCmdSeq + 1 : undefined
      hub.disk.write((before) => this.#command(before, action, action.body, cmdSeq, action.lifeMs))
    } else {
      const lost = this.#decide(action)
      if (lost) {
        hub.disk.flush(hub, () => reply(lost))
        return
      }
    }
    hub.point('hub.afterAction.beforeFlush')
    hub.disk.flush(hub, () => {
      reply('ok')
      hub.agents.commands.send(action.sessionId)
    })
  }

  #decide(action: Extract<Action, { kind: 'decide' }>): Exclude<ActionReply, 'ok'> | null {
    const hub = this.#hub
    const { kernel, truth } = hub.world
    const { requestId, answer, digest, commandId, procId } = action
    const request = hub.db.requests[requestId]
    if (!request) return 'NOT_FOUND'
    const attempt: Decision = { answer, digest, commandId }
    const decided = kernel.decide(request.register, attempt)
    if (decided.kind === 'lost') return decided.error
    truth.won(requestId, attempt, request.register.decision !== null)
    const body: CommandBody = { kind: 'permission.decide', requestId, procId, decision: answer, digest }
    hub.disk.write((db) =>
      this.#command(setRequest(db, { ...request, register: decided.register }), action, body, undefined, null),
    )
    return null
  }

  #command(db: HubDb, action: Action, body: CommandBody, cmdSeq: number | undefined, lifeMs: number | null): HubDb {
    const { commandId, sessionId } = action
    const { now } = this.#hub.world.clock
    const author = { userId: 'u', name: 'U' }
    const command = { commandId, sessionId, ...(cmdSeq ? { cmdSeq } : {}), author, createdAt: now, body }
    return addCommand(db, command, lifeMs === null ? null : now + lifeMs)
  }

  #catchUp(channel: ViewerChannel, sessionId: string): void {
    const watched = this.#watching.get(channel)
    const sent = watched?.get(sessionId)
    if (sent === undefined) return
    const events = (this.#hub.disk.durable.sessions[sessionId]?.rows ?? []).filter((row) => lastSeq(row) > sent)
    const last = events.at(-1)
    if (!last) return
    watched?.set(sessionId, lastSeq(last))
    channel.toClient((viewer) => viewer.events(channel, sessionId, events))
  }
}

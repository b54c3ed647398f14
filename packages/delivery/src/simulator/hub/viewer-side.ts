/** The hub's side of people: what they see of all sessions, and what they do. */
import type { CommandBody, Decision } from '@roundhouse/backend-types'
import type { Hub } from './hub'
import { addCommand, type DecisionRecord, type HubDb, setRequest } from './hub-db'
import { ViewerRooms } from './viewer-rooms'

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
      decision: Decision
      digest: string
    }

export type ActionReply =
  | 'ok'
  | 'EPOCH_CHANGED'
  | 'PERMISSION_ALREADY_DECIDED'
  | 'REQUEST_GONE'
  | 'DIGEST_MISMATCH'
  | 'NOT_FOUND'

export class ViewerSide extends ViewerRooms {
  readonly #hub: Hub

  constructor(hub: Hub) {
    super(hub)
    this.#hub = hub
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

  /** CMD-1: stored with its command in one transaction; a repeat gets the first result. */
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
    const { requestId, decision, digest, commandId, procId } = action
    const request = hub.db.requests[requestId]
    if (!request) return 'NOT_FOUND'
    const attempt: DecisionRecord = { decision, digest, commandId }
    const decided = kernel.decide(request.register, attempt)
    if (decided.kind === 'lost') return decided.error
    truth.won(requestId, attempt, request.register.decision !== null)
    const body: CommandBody = { kind: 'permission.decide', requestId, procId, decision, digest }
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
}

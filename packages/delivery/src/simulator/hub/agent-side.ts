/** The hub's side of agent connections: verdicts, batches, accounts of hosts, live text. */
import {
  CodedError,
  type CommandAnswer,
  type EventBatch,
  type HostState,
  type LinkLimits,
  type LiveFrame,
  linkLimits,
  type SessionReport,
  type Verdict,
} from '@roundhouse/backend-types'
import { emptyBlocks, type LiveBlocks, type StreamState } from '../../index'
import type { AgentChannel } from '../machine/daemon'
import { demand } from '../world/truth'
import { CommandSide, type Connection } from './command-side'
import type { BatchReply, Hub } from './hub'
import {
  type HubDb,
  type HubSession,
  hashAt,
  lostDecisions,
  newSession,
  seenInState,
  stepCommand,
  storeBatch,
} from './hub-db'

/** Small, so that windows fill and batches split. */
const limits: LinkLimits = { ...linkLimits, batchEvents: 4, batchBytes: 100, windowEvents: 12, windowBytes: 300 }

export class AgentSide {
  readonly #hub: Hub
  readonly commands: CommandSide
  readonly #connections = new Map<AgentChannel, Connection>()
  readonly states = new Map<string, HostState>()
  readonly blocks = new Map<string, LiveBlocks>()

  constructor(hub: Hub) {
    this.#hub = hub
    this.commands = new CommandSide(hub, this.#connections)
  }

  /** LINK-3: the number is on disk before anybody hears of the connection. */
  accept(channel: AgentChannel): void {
    if (this.#connections.has(channel)) return
    const { agentId } = channel.client
    const connEpoch = (this.#hub.db.connEpochs[agentId] ?? 0) + 1
    const older = [...this.#connections.values()].filter((other) => other.agentId === agentId)
    // Soon, not at once: till then only the number keeps them out.
    this.#hub.after(this.#hub.world.rng.between(0, 2_000), () => {
      for (const { channel: left } of older) {
        left.close('hub')
        this.#connections.delete(left)
      }
    })
    const connection: Connection = { channel, agentId, connEpoch, served: new Map(), asked: new Set() }
    this.#connections.set(channel, connection)
    this.#hub.commit(
      (db) => ({ ...db, connEpochs: { ...db.connEpochs, [agentId]: connEpoch } }),
      () => {
        const hubEpoch = this.#hub.db.epoch
        channel.toClient((daemon) => daemon.welcomed(channel, { hubEpoch, connEpoch, limits }))
      },
    )
  }

  closed(channel: AgentChannel): void {
    this.#connections.delete(channel)
  }

  closeAll(): void {
    for (const channel of this.#connections.keys()) channel.close('hub')
    this.#connections.clear()
  }

  sessions(channel: AgentChannel, reports: SessionReport[], reply: (verdicts: Verdict[]) => void): void {
    const connection = this.#current(channel)
    if (!connection) return
    const { kernel } = this.#hub.world
    const verdicts: Verdict[] = []
    for (const report of reports) {
      if (this.#balks()) continue
      const session = this.#hub.db.sessions[report.sessionId]
      const known = session
        ? { state: 'known' as const, stream: this.#stream(session, false) }
        : { state: 'unknown' as const }
      const verdict = kernel.judgeReport(report, known, this.#hub.db.epoch)
      if (!('verdict' in verdict)) {
        this.#hub.beginEpoch()
        return
      }
      verdicts.push(verdict)
    }
    for (const { sessionId, verdict } of verdicts) {
      const before = connection.served.get(sessionId)
      const stopped = verdict === 'rebase' || before?.stopped === true
      connection.served.set(sessionId, { stopped, rebased: before?.rebased === true })
      this.states.delete(sessionId)
    }
    this.#hub.world.trace(() => `hub judges ${JSON.stringify(reports)} ${JSON.stringify(verdicts)}`)
    reply(verdicts)
    for (const { sessionId } of verdicts) this.commands.send(sessionId)
  }

  events(channel: AgentChannel, batch: EventBatch, reply: (r: BatchReply) => void): void {
    const connection = this.#current(channel)
    if (!connection) {
      reply({ ok: false, error: new CodedError('FENCED').toBody() })
      return
    }
    const hub = this.#hub
    const { kernel, truth, clock } = hub.world
    const { sessionId, logId, events } = batch
    const newest = hub.db.connEpochs[connection.agentId]
    demand(
      connection.connEpoch === newest,
      'LINK-3',
      () => `${connection.agentId} writes by connection ${connection.connEpoch}`,
    )
    const served = connection.served.get(sessionId)
    if (!served) {
      reply({ ok: false, error: new CodedError('SESSION_NOT_FOUND').toBody() })
      return
    }
    if (this.#balks()) {
      const code = hub.world.rng.pick(['INTERNAL', 'STORAGE_UNAVAILABLE'] as const) ?? 'INTERNAL'
      reply({ ok: false, error: new CodedError(code).toBody() })
      return
    }
    const session = hub.db.sessions[sessionId] ?? newSession(sessionId, connection.agentId)
    const decision = kernel.acceptBatch(this.#stream(session, served.stopped), logId, events, (seq) =>
      hashAt(session, seq),
    )
    if (decision.kind === 'refuse') {
      const { code, kind: _kind, ...details } = decision
      hub.world.trace(() => `hub refuses ${sessionId}: ${JSON.stringify(decision)}`)
      if (code === 'SEQ_CONFLICT' && !served.rebased) served.stopped = true
      reply({ ok: false, error: new CodedError(code, undefined, details).toBody() })
      return
    }
    if (decision.events.length > 0 && served.stopped) Object.assign(served, { stopped: false, rebased: true })
    hub.disk.write((db) => storeBatch(db, session, decision, clock.now, kernel))
    const rows = hub.db.sessions[sessionId]?.rows ?? []
    hub.world.trace(
      () => `hub stores ${sessionId} ${events[0]?.seq} to ${decision.acked}, new ${decision.events.length}`,
    )
    truth.stored(sessionId, session.rows, rows.slice(session.rows.length))
    const answer = () => {
      truth.acked(sessionId, rows, decision.acked)
      reply({ ok: true, acked: decision.acked })
    }
    if (!kernel.ackAfterFlush) answer()
    hub.point('hub.afterInsert')
    hub.disk.flush(hub, () => {
      hub.point('hub.afterCommit.beforeAck')
      if (kernel.ackAfterFlush) answer()
      this.#mergeState(sessionId, null)
      this.#recall(sessionId, Object.keys(this.#hub.db.sessions[sessionId]?.projection.requests ?? {}), false)
      hub.viewers.push(sessionId, rows.slice(session.rows.length))
      this.commands.send(sessionId)
    })
  }

  state(channel: AgentChannel, state: HostState): void {
    const connection = this.#current(channel)
    const { sessionId } = state
    if (!connection?.served.has(sessionId) || !this.#hub.db.sessions[sessionId]) return
    this.#mergeState(sessionId, state)
    this.#hub.viewers.pushView(sessionId)
    const merged = this.states.get(sessionId)
    if (!merged) return
    this.#commitIfChanged((db) => seenInState(db, merged))
    const listed = merged.requests.map(({ requestId }) => requestId)
    this.#recall(sessionId, listed, merged === state)
  }

  #recall(sessionId: string, requestIds: readonly string[], listed: boolean): void {
    const { kernel } = this.#hub.world
    const { callBack } = lostDecisions(this.#hub.db, requestIds, listed, kernel)
    this.#commitIfChanged((db) => lostDecisions(db, requestIds, listed, kernel).db)
    for (const { commandId } of callBack) this.commands.callBack(sessionId, commandId)
  }

  #commitIfChanged(change: (db: HubDb) => HubDb): void {
    if (change(this.#hub.db) !== this.#hub.db) this.#hub.commit(change, () => {})
  }

  #mergeState(sessionId: string, incoming: HostState | null): void {
    const session = this.#hub.db.sessions[sessionId]
    if (!session) return
    const merged = this.#hub.world.kernel.mergeHostState(
      session.projection,
      this.states.get(sessionId) ?? null,
      incoming,
    )
    if (merged) this.states.set(sessionId, merged)
  }

  live(frame: LiveFrame): void {
    const { sessionId } = frame
    const step = this.#hub.world.kernel.applyFrame(this.blocks.get(sessionId) ?? emptyBlocks(), frame)
    this.blocks.set(sessionId, step.blocks)
    this.#hub.viewers.live(frame)
  }

  news(channel: AgentChannel, commandId: string, state: CommandAnswer['state'], reply: (ok: true) => void): void {
    if (!this.#current(channel)) return
    const { kernel } = this.#hub.world
    this.#hub.commit(
      (db) => {
        const kind = db.commands[commandId]?.command.body.kind
        return kind && kernel.newsCounts(kind, state) ? stepCommand(db, commandId, { answer: state }, kernel) : db
      },
      () => reply(true),
    )
  }

  #balks(): boolean {
    const { rng, plan, calm } = this.#hub.world
    return !calm && rng.chance(plan.balk)
  }

  #stream(session: HubSession, stopped: boolean): StreamState {
    return { logId: session.logId, committed: session.committed, malformed: 0, blocked: false, stopped }
  }

  #current(channel: AgentChannel): Connection | null {
    const connection = this.#connections.get(channel)
    if (!connection) return null
    const newest = this.#hub.db.connEpochs[connection.agentId] ?? 0
    return this.#hub.world.kernel.isFenced(connection.connEpoch, newest) ? null : connection
  }
}

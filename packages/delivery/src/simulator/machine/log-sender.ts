/** Sends the logs of one connection as the planner says, and has them rebased where it says so. */
import type { LinkLimits, SessionReport, Verdict } from '@roundhouse/backend-types'
import { lastSeq, type RebaseOrder, type SendPlanner } from '../../index'
import type { BatchReply } from '../hub/hub'
import { demand } from '../world/truth'
import { prunedGap } from './bodies'
import type { AgentChannel, Daemon } from './daemon'
import type { Host } from './host'
import type { SessionFile } from './session-file'

export interface AgentWelcome {
  hubEpoch: string
  connEpoch: number
  limits: LinkLimits
}

/** LINK-4: without an answer for so long the connection is of no use. */
export const ackTimeoutMs = 20_000

export class LogSender {
  /** Sessions with a verdict. */
  readonly served = new Set<string>()
  /** Given to a lease holder that has not answered yet. */
  readonly orders = new Map<string, RebaseOrder>()
  readonly #daemon: Daemon
  readonly #hosts: ReadonlyMap<string, Host>
  readonly #planner: SendPlanner
  #inFlight = 0

  constructor(
    daemon: Daemon,
    readonly channel: AgentChannel,
    readonly welcome: AgentWelcome,
  ) {
    this.#daemon = daemon
    this.#hosts = daemon.hosts
    this.#planner = daemon.world.kernel.makePlanner(welcome.limits, welcome.hubEpoch)
  }

  isDrained(): boolean {
    return this.served.size === this.#hosts.size && this.#planner.isDrained()
  }

  judged(reports: SessionReport[], verdicts: Verdict[]): void {
    for (const verdict of verdicts) {
      const { sessionId } = verdict
      const report = reports.find((one) => one.sessionId === sessionId)
      const host = this.#hosts.get(sessionId)
      if (!report || !host) continue
      this.served.add(sessionId)
      this.rebase(sessionId, this.#planner.verdict(verdict, { ...report, head: report.last }))
      this.#planner.appended(sessionId, readable(host).head)
    }
  }

  doorbell(sessionId: string): void {
    const host = this.#hosts.get(sessionId)
    if (!host) return
    this.#planner.appended(sessionId, readable(host).head)
    this.pump()
    const order = this.orders.get(sessionId)
    if (order && host.ready) this.rebase(sessionId, order)
  }

  rebase(sessionId: string, order: RebaseOrder | null): void {
    const host = this.#hosts.get(sessionId)
    if (!order || !host) return
    this.orders.set(sessionId, order)
    host.after(1, () =>
      host.rebase(order, this.welcome.hubEpoch, () =>
        this.#daemon.after(1, () => {
          if (this.#isOver() || !this.orders.delete(sessionId)) return
          this.#planner.rebased(sessionId, order.to, readable(host).head)
          this.pump()
        }),
      ),
    )
  }

  pump(): void {
    const { kernel, clock, plan } = this.#daemon.world
    const { batchEvents, windowEvents } = this.welcome.limits
    for (let turn = this.#planner.next(); turn && !this.#isOver(); turn = this.#planner.next()) {
      const { sessionId, after, upTo } = turn
      const host = this.#hosts.get(sessionId)
      if (!host) return
      const file = readable(host)
      const rows = file.rows.filter((row) => row.seq > after && row.seq <= upTo).slice(0, batchEvents)
      const events = kernel
        .fillHoles(after, upTo, rows, (from, to) => prunedGap(from, to, clock.now))
        .slice(0, batchEvents)
      const last = events.at(-1)
      if (!last) return
      this.#planner.sent(sessionId, { last: lastSeq(last), events: events.length, bytes: events.length })
      this.#inFlight += events.length
      // The planner counts on answers in the order of sending, none lost: as on a real connection.
      const lossy = plan.reorder || plan.drop > 0 || plan.every.partition > 0
      demand(lossy || this.#inFlight <= windowEvents, 'FLOW-1', () => `${this.#inFlight} events in flight`)
      const { logId } = file
      const batch = { sessionId, logId, events }
      this.channel.ask(
        (hub, reply: (r: BatchReply) => void) => hub.agents.events(this.channel, batch, reply),
        (reply) => {
          if (this.#isOver()) return
          this.#inFlight -= events.length
          this.#answered(sessionId, reply)
        },
        { ms: ackTimeoutMs, failed: () => this.#daemon.leave(this.channel) },
      )
    }
  }

  #answered(sessionId: string, reply: BatchReply): void {
    const host = this.#hosts.get(sessionId)
    if (!host) return
    if (reply.ok) {
      const { hubEpoch } = this.welcome
      this.#daemon.point('agent.afterAck.beforePersist')
      host.disk.write((file) => ({
        ...file,
        acked: file.ackedEpoch === hubEpoch ? Math.max(file.acked, reply.acked) : reply.acked,
        ackedEpoch: hubEpoch,
      }))
      host.disk.flush(this.#daemon, () => {})
      this.rebase(sessionId, this.#planner.acked(sessionId, reply.acked))
    } else if (reply.error.code === 'FENCED') {
      this.#daemon.leave(this.channel)
      return
    } else {
      const refused = this.#planner.refused(sessionId, reply.error)
      if (refused.kind === 'rebase') this.rebase(sessionId, refused.order)
    }
    this.pump()
  }

  #isOver(): boolean {
    return this.#daemon.sender !== this
  }
}

export function reportOf(host: Host): SessionReport {
  const { logId, rows, head, acked, ackedEpoch } = readable(host)
  return { sessionId: host.sessionId, logId, firstRetained: rows[0]?.seq ?? 0, last: head, acked, ackedEpoch }
}

/** LOG-3: what is on the disk, and nothing else. */
function readable({ world, disk }: Host): SessionFile {
  return world.kernel.sendAfterFlush ? disk.durable : disk.current
}

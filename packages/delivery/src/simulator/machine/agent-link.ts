/** One connection of the daemon: runs the machine that agents run, on the logs of simulated hosts. */
import {
  type EventBatch,
  type LinkLimits,
  lastSeqOf,
  type SessionReport,
  type Verdict,
} from '@roundhouse/backend-types'
import type { LinkEffect, LinkEvent, LinkState } from '../../index'
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

type EffectOf<D extends LinkEffect['do']> = Extract<LinkEffect, { do: D }>
type Run = { [D in LinkEffect['do']]: (effect: EffectOf<D>) => void }

/** LINK-4: without an answer for so long the connection is of no use. */
const ackTimeoutMs = 20_000
/** A host that has not moved its log by then has died, or was not there. */
const rebaseTimeoutMs = 5_000
const perPage = 2

export class AgentLink {
  readonly link: LinkState
  readonly #daemon: Daemon
  readonly #run: Run
  readonly #due: LinkEffect[] = []
  readonly #left: Host[]
  #isBusy = false
  #welcome: AgentWelcome | null = null
  #inFlight = 0

  constructor(
    daemon: Daemon,
    readonly channel: AgentChannel,
  ) {
    const { kernel } = daemon.world
    this.#daemon = daemon
    this.#left = [...daemon.hosts.values()]
    this.link = kernel.makeLink(kernel.makePlanner)
    this.#run = {
      sayHello: () => this.hear({ kind: 'helloTaken' }),
      greet: () => {},
      reportPage: () => this.#reportPage(),
      goOnline: () => daemon.isOnline(),
      report: ({ sessionId }) => this.#report(sessionId),
      tellState: () => {},
      take: ({ verdict }) => this.#take(verdict),
      pump: () => daemon.after(0, () => this.hear({ kind: 'pumped' })),
      send: (effect) => this.#send(effect),
      ack: (effect) => this.#ack(effect),
      rebase: (effect) => this.#rebase(effect),
      stop: () => {},
      tellNews: (effect) => this.#tellNews(effect),
      newsDelivered: ({ item }) => daemon.newsDelivered(item),
      wait: ({ ms, next }) => daemon.after(ms, () => this.hear(next)),
      end: ({ lived }) => daemon.ended(this, lived),
    }
    this.#carryOut(this.link.begin())
  }

  get hubEpoch(): string {
    return this.#welcome?.hubEpoch ?? ''
  }

  welcomed(welcome: AgentWelcome): void {
    if (this.#welcome) return
    this.#welcome = welcome
    this.hear({ kind: 'welcomed', hubEpoch: welcome.hubEpoch, limits: welcome.limits })
  }

  hear(event: LinkEvent): void {
    this.#carryOut(this.link.hear(event, this.#daemon.world.clock.now))
  }

  doorbell(sessionId: string): void {
    const host = this.#daemon.hosts.get(sessionId)
    if (host) this.hear({ kind: 'appended', sessionId, head: readable(host).head })
  }

  /** A process that is killed in the middle of a step carries out no more. */
  #carryOut(effects: readonly LinkEffect[]): void {
    this.#due.push(...effects)
    if (this.#isBusy) return
    this.#isBusy = true
    for (let effect = this.#due.shift(); effect; effect = this.#due.shift()) {
      const run = this.#run[effect.do] as (effect: LinkEffect) => void
      run(effect)
    }
    this.#isBusy = false
  }

  #reportPage(): void {
    const hosts = this.#left.splice(0, perPage)
    const isLast = this.#left.length === 0
    const named = hosts.map(({ sessionId }) => sessionId)
    this.#ask(hosts.map(reportOf), (verdicts) => ({ kind: 'pageAnswered', named, verdicts, isLast }))
  }

  #report(sessionId: string): void {
    const host = this.#daemon.hosts.get(sessionId)
    if (host) this.#ask([reportOf(host)], (verdicts) => ({ kind: 'reportAnswered', sessionId, verdicts }))
    else this.hear({ kind: 'nothingToReport', sessionId })
  }

  #ask(reports: SessionReport[], came: (verdicts: Verdict[]) => LinkEvent): void {
    this.channel.ask(
      (hub, reply: (verdicts: Verdict[]) => void) => hub.agents.sessions(this.channel, reports, reply),
      (verdicts) => this.hear(came(verdicts)),
      this.#orFails(),
    )
  }

  #take(verdict: Verdict): void {
    const host = this.#daemon.hosts.get(verdict.sessionId)
    if (host) this.hear({ kind: 'positioned', verdict, position: readable(host) })
  }

  #send({ sessionId, generation, after, upTo }: EffectOf<'send'>): void {
    const host = this.#daemon.hosts.get(sessionId)
    if (!host || !this.#welcome) return
    const { batchEvents, windowEvents } = this.#welcome.limits
    const { kernel, clock, plan } = this.#daemon.world
    const { rows: log, logId } = readable(host)
    const rows = log.filter((row) => row.seq > after && row.seq <= upTo).slice(0, batchEvents)
    const events = kernel
      .fillHoles(after, upTo, rows, (from, to) => prunedGap(from, to, clock.now))
      .slice(0, batchEvents)
    const last = events.at(-1)
    if (!last) {
      this.hear({ kind: 'nothingRead', sessionId })
      return
    }
    const size = events.length
    this.hear({ kind: 'batchSent', sessionId, last: lastSeqOf(last), events: size, bytes: size })
    this.#inFlight += size
    // The planner counts on answers in the order of sending, none lost: as on a real connection.
    const lossy = plan.reorder || plan.drop > 0 || plan.every.partition > 0 || plan.balk > 0
    demand(lossy || this.#inFlight <= windowEvents, 'FLOW-1', () => `${this.#inFlight} events in flight`)
    const batch: EventBatch = { sessionId, logId, events }
    this.channel.ask(
      (hub, reply: (r: BatchReply) => void) => hub.agents.events(this.channel, batch, reply),
      (reply) => {
        this.#inFlight -= size
        if (this.link.stage === 'ended') return
        if (reply.ok) this.#daemon.point('agent.afterAck.beforePersist')
        const of = { sessionId, generation }
        this.hear(
          reply.ok ? { kind: 'acked', ...of, upTo: reply.acked } : { kind: 'refused', ...of, error: reply.error },
        )
      },
      this.#orFails(),
    )
  }

  #ack({ sessionId, upTo }: EffectOf<'ack'>): void {
    const host = this.#daemon.hosts.get(sessionId)
    const { hubEpoch } = this
    host?.disk.write((file) => ({
      ...file,
      acked: file.ackedEpoch === hubEpoch ? Math.max(file.acked, upTo) : upTo,
      ackedEpoch: hubEpoch,
    }))
    host?.disk.flush(this.#daemon, () => {})
  }

  #rebase({ sessionId, generation, order }: EffectOf<'rebase'>): void {
    const host = this.#daemon.hosts.get(sessionId)
    const of = { sessionId, generation }
    let isOver = false
    const once = (event: () => LinkEvent) =>
      this.#daemon.bound(() => {
        if (!isOver) this.hear(event())
        isOver = true
      })
    const moved = once(() => ({ kind: 'moved', ...of, to: order.to, head: host ? readable(host).head : 0 }))
    const notMoved = once(() => ({ kind: 'notMoved', ...of }))
    this.#daemon.after(rebaseTimeoutMs, notMoved)
    host?.after(1, () => host.rebase(order, this.hubEpoch, () => this.#daemon.after(1, moved)))
  }

  #tellNews({ item }: EffectOf<'tellNews'>): void {
    this.channel.ask(
      (hub, reply: (ok: true) => void) => hub.agents.news(this.channel, item.commandId, item.answer.state, reply),
      () => this.hear({ kind: 'newsAnswered', item, answer: 'taken' }),
    )
  }

  #orFails(): { ms: number; failed: () => void } {
    return { ms: ackTimeoutMs, failed: () => this.hear({ kind: 'failed', reason: 'the hub stopped answering' }) }
  }
}

function reportOf(host: Host): SessionReport {
  const { logId, rows, head, acked, ackedEpoch } = readable(host)
  return { sessionId: host.sessionId, logId, firstRetained: rows[0]?.seq ?? 0, last: head, acked, ackedEpoch }
}

/** LOG-3: what is on the disk, and nothing else. */
function readable({ world, disk }: Host): SessionFile {
  return world.kernel.sendAfterFlush ? disk.durable : disk.current
}

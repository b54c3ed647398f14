/**
 * Carries out what the state machine of the link asks for (`LinkState` of the kernel) and reports the result to it. Frames go
 * through the outlet; the daemon reads and writes logs and files. A log is read at the moment of sending; nothing is cached.
 */
import { type LinkLimits, lastSeqOf, toCodedError, type Verdict, type Welcome } from '@roundhouse/backend-types'
import type { LinkEffect, LinkEvent } from '@roundhouse/delivery'
import { failpoint } from '@roundhouse/failpoint'
import { ReportPages, sayHello } from './handshake'
import { type Outlet, RefusedByHub } from './outlet'
import type { AccountPorts, CommandNewsItem, EventsToSend, HelloPorts, LogPorts, ReportPorts } from './ports'

type EffectOf<D extends LinkEffect['do']> = Extract<LinkEffect, { do: D }>
/** A new effect is an error here until somebody carries it out. The connection itself waits and ends. */
type Run = { [D in Exclude<LinkEffect['do'], 'wait' | 'pump' | 'end'>]: (effect: EffectOf<D>) => void }

const STATES_AT_ONCE = 8

interface EffectPorts extends HelloPorts, ReportPorts, LogPorts, AccountPorts {
  log(line: string): void
}

export interface Greeted {
  welcome: Welcome
  limits: LinkLimits
}

export class LinkEffects {
  readonly run: Run
  private pages: ReportPages | null = null

  constructor(
    private readonly outlet: Outlet,
    private readonly ports: EffectPorts,
    private readonly hear: (event: LinkEvent) => void,
    /** The hub's welcome; nothing is asked for before it. */
    private readonly greeted: () => Greeted,
    private readonly isOpen: () => boolean,
  ) {
    this.run = {
      sayHello: () => this.follow(sayHello(outlet, greeted().welcome, ports), () => ({ kind: 'helloTaken' })),
      greet: () => this.greet(),
      reportPage: () => this.follow(this.reportPages().report(), (page) => ({ kind: 'pageAnswered', ...page })),
      goOnline: () => {
        ports.reported()
        ports.connected(true)
        void this.tellResting()
      },
      report: ({ sessionId }) => this.follow(this.report(sessionId), (event) => event),
      tellState: ({ sessionId }) => {
        for (const state of ports.states()) if (state.sessionId === sessionId) outlet.emit('state', state)
      },
      take: ({ verdict }) => this.take(verdict),
      send: (effect) => this.send(effect),
      ack: ({ sessionId, upTo }) => ports.acked(sessionId, upTo, this.hubEpoch),
      rebase: (effect) => this.rebase(effect),
      stop: ({ sessionId, error }) => ports.stopped(sessionId, error),
      tellNews: ({ item }) => void this.tellNews(item),
      newsDelivered: ({ item }) => ports.newsDelivered(item),
    }
  }

  private get hubEpoch(): string {
    return this.greeted().welcome.hubEpoch
  }

  /** An answer without which the link is of no use. */
  private follow<A>(answer: Promise<A>, came: (answer: A) => LinkEvent): void {
    answer.then(
      (read) => this.hear(came(read)),
      (error: unknown) => this.hear(failureOf(error)),
    )
  }

  private greet(): void {
    const { outlet, ports } = this
    ports.present(this.hubEpoch)
    for (const state of ports.states()) outlet.emit('state', state)
    outlet.emit('waits', ports.waits())
    for (const item of ports.news()) void this.tellNews(item)
  }

  private reportPages(): ReportPages {
    const { limits } = this.greeted()
    this.pages ??= new ReportPages(this.outlet, this.ports.reports(this.hubEpoch), limits.sessionsPerPage)
    return this.pages
  }

  /** Whoever said that a log is another one may write down only after that which one it is. */
  private async report(sessionId: string): Promise<LinkEvent> {
    await Promise.resolve()
    const report = this.ports.report(sessionId)
    if (!report) return { kind: 'nothingToReport', sessionId }
    const { verdicts } = await new ReportPages(this.outlet, [report], 1).report()
    return { kind: 'reportAnswered', sessionId, verdicts }
  }

  private take(verdict: Verdict): void {
    this.ports.verdict(verdict)
    this.hear({ kind: 'positioned', verdict, position: this.ports.position(verdict.sessionId) })
  }

  /** There may be a thousand of them, and each is read from its log: a few for each turn of the event loop. */
  private async tellResting(): Promise<void> {
    let told = 0
    for (const state of this.ports.restingStates()) {
      if (!this.isOpen()) return
      if (state) this.outlet.emit('state', state)
      told += 1
      if (told % STATES_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  private send(turn: EffectOf<'send'>): void {
    const { sessionId } = turn
    if (!this.outlet.connected) return
    const batch = this.read(turn)
    if (batch === 'unreadable') {
      this.hear({ kind: 'unreadable', sessionId })
      return
    }
    const last = batch?.events.at(-1)
    if (!batch || !last) {
      this.hear({ kind: 'nothingRead', sessionId })
      return
    }
    const bytes = batch.events.reduce((sum, event) => sum + Buffer.byteLength(event.body), 0)
    this.hear({ kind: 'batchSent', sessionId, last: lastSeqOf(last), events: batch.events.length, bytes })
    failpoint('agent.afterAppend.beforeSend')
    void this.ask(turn, batch)
  }

  /** What is wrong with one log keeps nobody else waiting. */
  private read({ sessionId, after, upTo }: EffectOf<'send'>): EventsToSend | null | 'unreadable' {
    const { batchEvents: maxEvents, batchBytes: maxBytes } = this.greeted().limits
    try {
      return this.ports.read(sessionId, after, upTo, { maxEvents, maxBytes })
    } catch (error) {
      const { code, message } = toCodedError(error)
      // That it cannot be read now was said by whoever tried.
      if (code !== 'STORAGE_UNAVAILABLE') this.ports.log(`${sessionId}: its log is sent later: ${message}`)
      return 'unreadable'
    }
  }

  private async ask({ sessionId, generation }: EffectOf<'send'>, batch: EventsToSend): Promise<void> {
    const of = { sessionId, generation }
    try {
      const { acked } = await this.outlet.ask('events', { sessionId, ...batch })
      if (!this.isOpen()) return
      failpoint('agent.afterAck.beforePersist')
      this.hear({ kind: 'acked', ...of, upTo: acked })
    } catch (error) {
      if (error instanceof RefusedByHub) this.hear({ kind: 'refused', ...of, error: error.error })
      else if (toCodedError(error).code === 'FRAME_TOO_LARGE') this.hear({ kind: 'unsendable', ...of })
      else this.hear({ kind: 'failed', reason: 'the hub stopped answering' })
    }
  }

  /** The lease holder moves the log (REB-1); until then nothing of this session is sent. */
  private rebase({ sessionId, generation, order }: EffectOf<'rebase'>): void {
    const of = { sessionId, generation }
    this.ports
      .rebase(sessionId, order, this.hubEpoch)
      .then(() => this.ports.position(sessionId).head)
      .then(
        (head) => this.hear({ kind: 'moved', ...of, to: order.to, head }),
        (error: unknown) => {
          this.ports.log(`${sessionId}: its log could not be rebased yet: ${toCodedError(error).message}`)
          this.hear({ kind: 'notMoved', ...of })
        },
      )
  }

  private async tellNews(item: CommandNewsItem): Promise<void> {
    try {
      await this.outlet.ask('command', item)
      this.hear({ kind: 'newsAnswered', item, answer: 'taken' })
    } catch (error) {
      const refusal = error instanceof RefusedByHub ? error.error : null
      this.hear({ kind: 'newsAnswered', item, answer: !refusal ? 'silent' : refusal.retryable ? 'passing' : 'refused' })
    }
  }
}

export function failureOf(error: unknown): LinkEvent {
  if (error instanceof RefusedByHub) return { kind: 'failed', reason: error.message, code: error.error.code }
  return { kind: 'failed', reason: toCodedError(error).message }
}

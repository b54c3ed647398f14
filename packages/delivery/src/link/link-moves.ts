/** The data that a connection keeps, and the actions of its table's cells on that data (`link-table.ts`). */
import type { Verdict } from '@roundhouse/backend-types'
import { type RebaseOrder, SendPlanner } from '../agent/send-planner'
import type { LinkEffect, LinkEvent } from './link-events'
import { newSessionLink, type SessionLink, type SessionMoves, sessionStep } from './session-link'

export type LinkStage = 'opening' | 'greeting' | 'reporting' | 'online' | 'ended'

const WELCOME_TIMEOUT_MS = 15_000
/** A hub that takes a connection only to close it with a reason is not asked again at once. */
const LONG_LIFE_MS = 10_000

type EventOf<K extends LinkEvent['kind']> = Extract<LinkEvent, { kind: K }>

export class LinkMoves implements SessionMoves {
  stage: LinkStage = 'opening'
  hubEpoch = ''
  planner: SendPlanner | null = null
  greetedAt = 0
  heldUntil = 0
  isWaiting = false
  isArmed = false
  readonly #makePlanner: (...args: ConstructorParameters<typeof SendPlanner>) => SendPlanner
  protected readonly sessions = new Map<string, SessionLink>()
  #effects: LinkEffect[] = [{ do: 'wait', ms: WELCOME_TIMEOUT_MS, next: { kind: 'welcomeOverdue' } }]

  constructor(makePlanner?: (...args: ConstructorParameters<typeof SendPlanner>) => SendPlanner) {
    this.#makePlanner = makePlanner ?? ((...args) => new SendPlanner(...args))
  }

  // ------------------------------------------------------------- for the cells

  get isOnline(): boolean {
    return this.stage === 'online'
  }

  ask(effect: LinkEffect): void {
    this.#effects.push(effect)
  }

  of(sessionId: string): SessionLink {
    const session = this.sessions.get(sessionId) ?? newSessionLink(sessionId)
    this.sessions.set(sessionId, session)
    return session
  }

  begins(hubEpoch: string, limits: EventOf<'welcomed'>['limits']): void {
    this.hubEpoch = hubEpoch
    this.planner = this.#makePlanner(limits, hubEpoch)
  }

  becomesOnline(): void {
    this.stage = 'online'
    this.ask({ do: 'goOnline' })
    for (const session of [...this.sessions.values()]) sessionStep(session, this, { is: 'online' })
  }

  end(now: number, reason: string, code?: string): void {
    const wasGreeted = this.stage === 'reporting' || this.stage === 'online'
    const lived = wasGreeted && (code === undefined || now - this.greetedAt > LONG_LIFE_MS)
    this.stage = 'ended'
    this.ask({ do: 'end', reason, lived, ...(code === undefined ? {} : { code }) })
  }

  pump(): void {
    if (this.isArmed) return
    this.isArmed = true
    this.ask({ do: 'pump' })
  }

  hold(ms: number, now: number): void {
    this.heldUntil = Math.max(this.heldUntil, now + ms)
    if (this.isWaiting) return
    this.isWaiting = true
    this.ask({ do: 'wait', ms, next: { kind: 'holdOver' } })
  }

  sendNext(now: number): void {
    const leftMs = this.heldUntil - now
    if (leftMs > 0) {
      this.hold(leftMs, now)
      return
    }
    const next = this.planner?.next()
    if (next) this.ask({ do: 'send', ...next, generation: this.of(next.sessionId).generation })
  }

  rebase({ sessionId, generation }: SessionLink, order: RebaseOrder | null): void {
    if (order) this.ask({ do: 'rebase', sessionId, generation, order })
  }

  /** True when the answer is about the log that the session has. */
  lands({ sessionId, generation }: { sessionId: string; generation: number }): boolean {
    const session = this.of(sessionId)
    const isCurrent = session.generation === generation
    session.flights = Math.max(0, session.flights - 1)
    if (session.flights === 0) sessionStep(session, this, { is: 'landed' })
    return isCurrent
  }

  // ------------------------------------------------------------- for the sessions

  report({ sessionId }: SessionLink): void {
    this.ask({ do: 'report', sessionId })
  }

  take(verdict: Verdict): void {
    this.ask({ do: 'take', verdict })
  }

  drop({ sessionId }: SessionLink): void {
    this.planner?.drop(sessionId)
    this.pump()
  }

  rest(session: SessionLink, ms: number): void {
    session.pause += 1
    const { sessionId, pause } = session
    this.ask({ do: 'wait', ms, next: { kind: 'restOver', sessionId, pause } })
  }

  appended({ sessionId }: SessionLink, head: number): void {
    this.planner?.appended(sessionId, head)
    this.pump()
  }

  tellState({ sessionId }: SessionLink): void {
    this.ask({ do: 'tellState', sessionId })
  }

  protected taken(): LinkEffect[] {
    const taken = this.#effects
    this.#effects = []
    return taken
  }
}

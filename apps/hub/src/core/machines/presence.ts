/** Which agents are connected to this process, and when the others left. Memory only. */
import { CodedError, type Question, type QuestionAnswer, type Waits } from '@roundhouse/backend-types'
import type { AgentRow } from '../ports/machine-store'
import type { AgentLink } from './link-ports'
import type { ServedSessions } from './served-sessions'

export interface Connected {
  link: AgentLink
  connEpoch: number
  /** Set when its hello was accepted. */
  ready: boolean
  /** The sessions for which commands may be sent. */
  served: ServedSessions
  /** Commands that wait on the machine for a free place, if it reported any. */
  waits?: Waits
}

type SeenRow = Pick<AgentRow, 'agentId' | 'lastSeenAt' | 'connEpoch'>

const QUESTION_MS = 10_000

export class Presence {
  readonly #connected = new Map<string, Connected>()
  readonly #lastSeen = new Map<string, number>()

  constructor(private readonly startedAt: number) {}

  current(agentId: string): Connected | undefined {
    return this.#connected.get(agentId)
  }

  isOnline(agentId: string): boolean {
    return this.#connected.get(agentId)?.ready === true
  }

  waits(agentId: string): Waits | null {
    return this.#connected.get(agentId)?.waits ?? null
  }

  agentIds(): string[] {
    return [...this.#connected.keys()]
  }

  /** Returns the older of two connections, which the caller must close. */
  enter(agentId: string, connected: Connected): Connected | undefined {
    const known = this.#connected.get(agentId)
    if (known && known.connEpoch > connected.connEpoch) return connected
    this.#connected.set(agentId, connected)
    return known
  }

  /** False if a newer connection has replaced it. */
  leave(agentId: string, connEpoch: number, now: number): boolean {
    if (this.#connected.get(agentId)?.connEpoch !== connEpoch) return false
    this.#connected.delete(agentId)
    this.#lastSeen.set(agentId, now)
    return true
  }

  /** Its hello was accepted. */
  ready(connected: Connected, agentId: string, now: number): void {
    connected.ready = true
    this.#lastSeen.set(agentId, now)
  }

  /**
   * When it was last connected; null if it never was. One that was connected when the hub's last process ended has been away
   * for as long as nobody could know: since this process began.
   */
  lastSeen({ agentId, lastSeenAt, connEpoch }: SeenRow): number | null {
    return this.#lastSeen.get(agentId) ?? lastSeenAt ?? (connEpoch > 0 ? this.startedAt : null)
  }

  /** CMD-6: a question has a deadline and leaves nothing behind. */
  ask<Q extends Question>(agentId: string, question: Q, timeoutMs = QUESTION_MS): Promise<QuestionAnswer<Q['kind']>> {
    const connected = this.#connected.get(agentId)
    if (!connected?.ready) throw new CodedError('AGENT_OFFLINE')
    return connected.link.ask(question, timeoutMs)
  }
}

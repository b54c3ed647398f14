/**
 * What a program says on the bus, as events of its session. It is on disk when the call returns. The hub gives it the rest of its
 * envelope, behind the ack.
 */
import { busLimits, CodedError, parseEventBody, type SessionEventOf } from '@roundhouse/backend-types'
import {
  checkContent,
  FIRST_PHASE,
  isLargerMessage,
  judgePhaseMove,
  type Phase,
  phasesCompleted,
  type SchemaName,
} from '@roundhouse/bus'
import { jsonBytes } from '@roundhouse/delivery'
import { failpoint } from '@roundhouse/failpoint'
import type { Journal } from '../journal/journal'
import { ProgramPace } from './program-pace'

/** How many earlier events are searched for a repeated message, and how many messages are remembered. */
const LOOK_BACK = 5_000

export interface PublisherPorts {
  sessionId: string
  journal: Journal
  place(): { procId?: string; turnId?: string }
}

export interface Message {
  id: string
  name: 'event' | 'phase' | 'complete'
  schema: SchemaName
  data: Record<string, unknown>
  correlationId?: string | undefined
  forced?: boolean
}

export interface Published {
  id: string
  seq: number
}

export class Publisher {
  /** Of the program that spoke last: each program begins a life of its own, at the hub too (BUS-8.2). */
  private life = { procId: undefined as string | undefined, phase: null as Phase | null, passed: phasesCompleted([]) }
  /** Where an orchestrator wants the program to go, whatever the table says. */
  private forced: Phase | null = null
  private known: Map<string, Promise<Published>> | null = null
  private readonly pace = new ProgramPace()

  constructor(private readonly ports: PublisherPorts) {}

  get phasesCompleted(): Phase[] {
    return this.ofProgram().passed
  }

  /** A message with an id that is in the log already is that one. Throws what is wrong with it. */
  publish(message: Message): Promise<Published> {
    const repeated = this.published.get(message.id)
    if (repeated) return repeated
    const event = this.eventOf(message)
    this.pace.charge(event.topic, jsonBytes(event))
    const seq = this.ports.journal.log.lastSeq + 1
    const written = this.ports.journal.record([event]).then(() => {
      failpoint('agent.published.beforeAnswer')
      return { id: message.id, seq }
    })
    this.published.set(message.id, written)
    const [oldest] = this.published.keys()
    if (this.published.size > LOOK_BACK && oldest !== undefined) this.published.delete(oldest)
    written.catch(() => this.published.delete(message.id))
    return written
  }

  /** A move that the table does not have is published as well: the hub raises the gate. It does not count here. */
  async enter(id: string, phase: Phase, reason: string, metadata?: Record<string, unknown>): Promise<Published> {
    const repeated = this.published.get(id)
    if (repeated) return repeated
    const current = this.ofProgram().phase
    const prev = current ?? FIRST_PHASE
    const judged = judgePhaseMove(current, { phase, prev })
    const forced = !judged.ok && this.forced === phase
    const verdict = forced ? { ok: true as const } : judged
    const writing = this.publish({
      id,
      name: 'phase',
      schema: 'worker-phase-v1',
      data: {
        phase,
        prev,
        transition_reason: reason,
        phases_completed: verdict.ok ? phasesCompleted(this.phasesCompleted, phase) : this.phasesCompleted,
        ...(metadata ? { metadata } : {}),
      },
      forced,
    })
    // What was refused does not count.
    if (verdict.ok) this.count(phase)
    const published = await writing
    if (!verdict.ok) throw new CodedError('PHASE_ILLEGAL', verdict.reason, { phase, prev, ...published })
    return published
  }

  /** An orchestrator wants it there: the next move to this phase counts. */
  force(phase: Phase): void {
    this.forced = phase
  }

  private count(phase: Phase): void {
    this.life.phase = phase
    this.forced = null
    this.life.passed = phasesCompleted(this.life.passed, phase)
  }

  /** What was said by a program that is gone does not count for the next one. */
  private ofProgram() {
    const { procId } = this.ports.place()
    if (procId !== this.life.procId) this.life = { procId, phase: null, passed: phasesCompleted([]) }
    return this.life
  }

  private eventOf({ id, name, schema, data, correlationId, forced }: Message): SessionEventOf<'published'> {
    const topic = `worker.${this.ports.sessionId}.${name}`
    const wrong = checkContent({ topic, schema, data })
    if (wrong) throw new CodedError(wrong.code, wrong.message, { path: wrong.path })
    if (isLargerMessage({ topic, schema, data }, busLimits.messageBytes)) throw new CodedError('MESSAGE_TOO_LARGE')
    return {
      kind: 'published',
      ...this.ports.place(),
      id,
      ...(correlationId === undefined ? {} : { correlationId }),
      topic,
      schema,
      data,
      ...(forced ? { forced } : {}),
    }
  }

  /** Read once, where a program first speaks: a program that repeats a call may repeat one of an earlier host. */
  private get published(): Map<string, Promise<Published>> {
    this.known ??= this.readBack()
    return this.known
  }

  private readBack(): Map<string, Promise<Published>> {
    const { log } = this.ports.journal
    const found = log.rows
      .eventsAfter(Math.max(0, log.lastSeq - LOOK_BACK), LOOK_BACK)
      .flatMap(({ kind, seq, body }) => {
        const event = kind === 'published' ? parseEventBody(body) : null
        return event?.kind === 'published' ? [[event.id, Promise.resolve({ id: event.id, seq })] as const] : []
      })
    return new Map(found)
  }
}

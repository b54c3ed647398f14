/**
 * One session of a provider.
 *
 *     starting --session reported--> running --turn over, nothing waits--> over
 *         |                             |--a message waits--> running (the next turn)
 *         '--exit, end of the turn-->  over  <--exit, stop, abort--'
 *
 * It reports one init and then one terminal event, whatever the adapter does. Output before the session is held back behind
 * the init; what comes after the end is dropped. The channel closes when the process is gone.
 */
import {
  type BackendAdapter,
  type BackendProcess,
  CodedError,
  type PermissionRequest,
  type TurnCompleteInfo,
  toCodedError,
} from '@roundhouse/backend-types'
import type { Event, TerminalEvent } from '../contract/event'
import type { Handle } from '../contract/provider'
import type { CostData } from '../contract/result'
import type { Answer } from './answers'
import { EventChannel } from './event-channel'
import { addCost, budgetEvent, EventTranslator, exitEvent, stoppedEvent } from './to-events'
import { waitFor } from './wait-for'

export interface SessionPorts {
  adapter: BackendAdapter
  answer(request: PermissionRequest): Promise<Answer>
  /** Throws where its messages are not taken. */
  requireInjection(): void
  nowMs(): number
  /** Called once, when its process is gone. */
  ended(): void
}

export class Session implements Handle {
  private readonly channel: EventChannel<Event>
  private readonly translator: EventTranslator
  /** Events before the init. Null from then on. */
  private held: Event[] | null = []
  private id = ''
  private terminal: TerminalEvent | null = null
  private gone: Promise<void> = Promise.resolve()
  private isTurnOpen = false
  private lastTurn: TurnCompleteInfo = {}
  private cost: CostData = {}
  /** Messages on their way into the turn, and those that no turn took. */
  private offered = 0
  private readonly followUps: string[] = []
  private settle: { started(): void; failed(error: CodedError): void } | null = null

  constructor(
    private readonly process: BackendProcess,
    private readonly ports: SessionPorts,
  ) {
    const { adapter } = ports
    this.channel = new EventChannel((full) => {
      if (process.isAlive()) adapter.pauseOutput?.(process, full)
    })
    this.translator = new EventTranslator(adapter.inputShapes, ports.nowMs)
    this.listen(adapter)
  }

  /** Sends the first prompt. Resolves when the session is reported; rejects if it ends before. */
  begin(prompt: string, first: readonly Event[]): Promise<void> {
    this.held?.push(...first)
    return new Promise((resolve, reject) => {
      this.settle = { started: resolve, failed: reject }
      if (this.held === null) resolve()
      if (this.terminal) reject(failedToStart(this.terminal))
      else this.send(prompt)
    })
  }

  sessionId(): string {
    return this.id
  }

  events(): AsyncIterableIterator<Event> {
    return this.channel.events()
  }

  async inject(text: string, signal?: AbortSignal): Promise<void> {
    this.ports.requireInjection()
    if (this.terminal) throw new CodedError('SESSION_NOT_FOUND', 'This session is over.')
    await waitFor(this.offer(text), signal)
  }

  async stop(signal?: AbortSignal): Promise<void> {
    this.finish(stoppedEvent(this.cost))
    await waitFor(this.gone, signal)
  }

  private async offer(text: string): Promise<void> {
    const { adapter } = this.ports
    this.offered += 1
    const begins = () => {
      this.isTurnOpen = true
    }
    const taken = await (adapter.steer?.(this.process, text, [], begins) ?? Promise.resolve(false)).catch(() => false)
    this.offered -= 1
    if (this.terminal && !taken) throw new CodedError('SESSION_NOT_FOUND', 'This session is over.')
    if (!taken) this.followUps.push(text)
    this.goOn()
  }

  private listen(adapter: BackendAdapter): void {
    const { process } = this
    adapter.onSessionStarted?.(process, ({ backendSessionId }) => this.started(backendSessionId))
    adapter.onOutput(process, (output) => {
      const event = this.translator.eventOf(output)
      if (event) this.report(event)
    })
    adapter.onPermissionRequest?.(process, (request) => void this.asked(request))
    adapter.onTurnStarted?.(process, () => {
      this.isTurnOpen = true
    })
    adapter.onTurnComplete?.(process, (info) => this.turnEnded(info))
    adapter.onTokenBudgetWarning?.(process, (warning) => this.report(budgetEvent(warning)))
    adapter.onError?.(process, (error) => {
      const { code, message } = toCodedError(error)
      this.report({ kind: 'system', subtype: 'error', message, raw: { code } })
    })
    adapter.onExit?.(process, (code, info) =>
      this.finish(exitEvent(code, info?.signal ?? null, info?.stderrTail ?? '')),
    )
  }

  private started(sessionId: string): void {
    if (this.terminal) return
    this.id = sessionId
    if (this.held === null) {
      this.report({ kind: 'system', subtype: 'session_changed', raw: { sessionId } })
      return
    }
    const held = this.held
    this.held = null
    this.channel.push({ kind: 'init', sessionId })
    for (const event of held) this.channel.push(event)
    this.settle?.started()
  }

  private report(event: Event): void {
    if (this.terminal) return
    if (this.held) this.held.push(event)
    else this.channel.push(event)
  }

  private async asked(request: PermissionRequest): Promise<void> {
    const { adapter, answer } = this.ports
    const denied: Answer = { decision: 'deny', reason: 'The request could not be answered.' }
    const decided = await answer(request).catch(() => denied)
    if (decided.decision === 'deny') {
      const { callId, toolName } = request
      this.report({ kind: 'system', subtype: 'permission_denied', message: decided.reason, raw: { callId, toolName } })
    }
    // A process that is gone has no request any more.
    await adapter.respondToPermission?.(this.process, { ...decided, callId: request.callId }).catch(() => {})
  }

  private turnEnded(info: TurnCompleteInfo): void {
    if (this.terminal) return
    // An adapter that reports no session names it here.
    if (this.held && info.backendSessionId !== undefined) this.started(info.backendSessionId)
    this.isTurnOpen = false
    this.lastTurn = info
    this.cost = addCost(this.cost, info)
    this.goOn()
  }

  /** Between two turns: the next message, or the end. */
  private goOn(): void {
    if (this.terminal || this.isTurnOpen || this.offered > 0) return
    const next = this.followUps.shift()
    if (next === undefined) this.finish(this.translator.resultOf(this.lastTurn, this.cost))
    else this.send(next)
  }

  private send(text: string): void {
    this.isTurnOpen = true
    try {
      this.ports.adapter.send(this.process, text)
    } catch (error) {
      const { code, message } = toCodedError(error)
      this.finish({ kind: 'error', code, message })
    }
  }

  private finish(terminal: TerminalEvent): void {
    if (this.terminal) return
    if (this.held === null) this.channel.push(terminal)
    else this.settle?.failed(failedToStart(terminal))
    this.terminal = terminal
    const { adapter, ended } = this.ports
    this.gone = adapter
      .stop(this.process)
      .catch(() => {})
      .then(() => {
        this.channel.close()
        ended()
      })
  }
}

function failedToStart(terminal: TerminalEvent): CodedError {
  const why =
    terminal.kind === 'error' ? terminal.message : (terminal.errors?.[0] ?? 'The turn ended without a session.')
  return new CodedError('SPAWN_FAILED', why, { event: terminal })
}

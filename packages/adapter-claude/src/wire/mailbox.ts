/**
 * Delivers what a process reports to the handlers of the host, in order. What arrives before the handlers are there waits;
 * since all of them are registered in one go, delivery begins one turn of the loop after the first. That keeps the order
 * between kinds: the session start is out before any output.
 */
import type {
  BackendConfiguration,
  BackendOutput,
  ExitInfo,
  LiveDelta,
  PermissionRequest,
  ReportedTask,
  SessionStartedInfo,
  SlashCommand,
  TokenBudgetWarning,
  TurnCompleteInfo,
} from '@roundhouse/backend-types'

export interface Mail {
  session: [SessionStartedInfo]
  output: [BackendOutput]
  live: [LiveDelta]
  ask: [PermissionRequest]
  withdrawn: [callId: string]
  mode: [string]
  settings: [BackendConfiguration]
  commands: [readonly SlashCommand[]]
  turn_started: []
  background: [running: readonly ReportedTask[]]
  turn_completed: [TurnCompleteInfo]
  budget: [TokenBudgetWarning]
  exit: [code: number | null, info: ExitInfo]
}

type Handlers = { [K in keyof Mail]?: (...args: Mail[K]) => void }

export class Mailbox {
  private readonly handlers: Handlers = {}
  private waiting: Array<() => void> = []
  private state: 'waiting' | 'opening' | 'open' = 'waiting'

  on<K extends keyof Mail>(kind: K, handler: (...args: Mail[K]) => void): void {
    this.handlers[kind] = handler as Handlers[K]
    if (this.state !== 'waiting') return
    this.state = 'opening'
    setImmediate(() => this.open())
  }

  post<K extends keyof Mail>(kind: K, ...args: Mail[K]): void {
    const deliver = () => this.deliver(kind, args)
    if (this.state === 'open') deliver()
    else this.waiting.push(deliver)
  }

  /** Everything that waited, now. A prompt must not overtake it. */
  open(): void {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) next()
    this.state = 'open'
  }

  private deliver<K extends keyof Mail>(kind: K, args: Mail[K]): void {
    try {
      const handler = this.handlers[kind] as ((...args: Mail[K]) => void) | undefined
      handler?.(...args)
    } catch (error) {
      // A fault of the host must be seen, and must not cost the frames behind this one.
      queueMicrotask(() => {
        throw error
      })
    }
  }
}

/**
 * Hands out what a process reports, in the order in which it happened, to handlers that may come later: nothing is given
 * out before an output handler is there and the code that registers handlers has finished.
 */
import type {
  BackendOutput,
  BackgroundTask,
  ExitInfo,
  LiveDelta,
  PermissionRequest,
  SessionStartedInfo,
  TokenBudgetWarning,
  TurnCompleteInfo,
} from '@roundhouse/backend-types'

export interface ProcessEvents {
  sessionStarted: [SessionStartedInfo]
  output: [BackendOutput]
  live: [LiveDelta]
  permissionRequest: [PermissionRequest]
  permissionWithdrawn: [string]
  modeChanged: [string]
  turnStarted: []
  background: [readonly BackgroundTask[]]
  turnComplete: [TurnCompleteInfo]
  tokenBudgetWarning: [TokenBudgetWarning]
  error: [Error]
  exit: [number | null, ExitInfo]
}

type Name = keyof ProcessEvents
type Handler<N extends Name> = (...values: ProcessEvents[N]) => void

export class EventPump {
  private readonly handlers: { [N in Name]?: Array<Handler<N>> } = {}
  private readonly kept: Array<() => void> = []
  private open = false

  on<N extends Name>(name: N, handler: Handler<N>): void {
    const list: Array<Handler<N>> = this.handlers[name] ?? []
    list.push(handler)
    Object.assign(this.handlers, { [name]: list })
    if (name === 'output' && !this.open) setImmediate(() => this.release())
  }

  emit<N extends Name>(name: N, ...values: ProcessEvents[N]): void {
    const give = () => {
      for (const handler of this.handlers[name] ?? []) handler(...values)
    }
    if (this.open) give()
    else this.kept.push(give)
  }

  private release(): void {
    for (let give = this.kept.shift(); give; give = this.kept.shift()) give()
    this.open = true
  }
}

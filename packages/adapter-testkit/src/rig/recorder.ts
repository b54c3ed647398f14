/**
 * Records everything that one process of an adapter reports, in order, and waits on what it reports: never on time.
 * Create it right after `spawn` resolved, before anything else is awaited.
 */
import type {
  BackendAdapter,
  BackendOutput,
  BackendProcess,
  BackgroundTask,
  ExitInfo,
  LiveDelta,
  PermissionDecision,
  PermissionRequest,
  TokenBudgetWarning,
  TurnCompleteInfo,
} from '@roundhouse/backend-types'

export type Recorded =
  | { type: 'session'; backendSessionId: string }
  | { type: 'output'; output: BackendOutput }
  | { type: 'live'; delta: LiveDelta }
  | { type: 'ask'; request: PermissionRequest }
  | { type: 'withdrawn'; callId: string }
  | { type: 'mode'; mode: string }
  | { type: 'turn_started' }
  | { type: 'background'; running: readonly BackgroundTask[] }
  | { type: 'turn_completed'; info: TurnCompleteInfo }
  | { type: 'budget'; warning: TokenBudgetWarning }
  | { type: 'error'; error: Error }
  | { type: 'exit'; code: number | null; info: ExitInfo | undefined }

export type RecordedOf<T extends Recorded['type']> = Extract<Recorded, { type: T }>
type Matcher<T extends Recorded['type']> = (event: RecordedOf<T>) => boolean

export interface Turn {
  events: Recorded[]
  outputs: BackendOutput[]
  live: LiveDelta[]
  asks: PermissionRequest[]
  info: TurnCompleteInfo
  /** The finished assistant texts, joined by line feeds. */
  text: string
}

/** Decides the asks during `turn`. Without a decider every ask fails the test. */
export type Decider = (request: PermissionRequest) => Omit<PermissionDecision, 'callId'>
export const allowAll: Decider = () => ({ decision: 'allow' })

interface Waiter {
  accept(event: Recorded): boolean
  resolve(event: Recorded): void
  reject(error: Error): void
}

export class Recorder {
  readonly events: Recorded[] = []
  private readonly waiters = new Set<Waiter>()

  constructor(
    readonly adapter: BackendAdapter,
    readonly process: BackendProcess,
  ) {
    adapter.onSessionStarted?.(process, ({ backendSessionId }) => this.add({ type: 'session', backendSessionId }))
    adapter.onOutput(process, (output) => this.add({ type: 'output', output }))
    adapter.onLive?.(process, (delta) => this.add({ type: 'live', delta }))
    adapter.onPermissionRequest?.(process, (request) => this.add({ type: 'ask', request }))
    adapter.onPermissionWithdrawn?.(process, (callId) => this.add({ type: 'withdrawn', callId }))
    adapter.onModeChanged?.(process, (mode) => this.add({ type: 'mode', mode }))
    adapter.onBackground?.(process, (running) => this.add({ type: 'background', running }))
    adapter.onTurnStarted?.(process, () => this.add({ type: 'turn_started' }))
    adapter.onTurnComplete?.(process, (info) => this.add({ type: 'turn_completed', info }))
    adapter.onTokenBudgetWarning?.(process, (warning) => this.add({ type: 'budget', warning }))
    adapter.onError?.(process, (error) => this.add({ type: 'error', error }))
    adapter.onExit?.(process, (code, info) => this.add({ type: 'exit', code, info }))
  }

  /** No turn is open: whatever was reported of one was followed by its end. */
  get isIdle(): boolean {
    const ofTurn = this.events.findLast(({ type }) => type !== 'session' && type !== 'mode' && type !== 'background')
    return ofTurn === undefined || ofTurn.type === 'turn_completed' || ofTurn.type === 'budget'
  }

  /** Throws where the program has none: the number 0 would mean the whole group of the test run. */
  get pid(): number {
    if (this.process.pid === undefined) throw new Error('the process has no pid')
    return this.process.pid
  }

  /** All events of one type, of everything recorded or from `from` on. */
  all<T extends Recorded['type']>(type: T, from = 0): Array<RecordedOf<T>> {
    return this.events.slice(from).filter((event): event is RecordedOf<T> => event.type === type)
  }

  /**
   * The first matching event at or after `from` (default: the beginning), also if it is already there. Rejects when the
   * process exits without it.
   */
  wait<T extends Recorded['type']>(type: T, matches: Matcher<T> = () => true, from = 0): Promise<RecordedOf<T>> {
    const accept = (event: Recorded): event is RecordedOf<T> => event.type === type && matches(event as RecordedOf<T>)
    const present = this.events.slice(from).find(accept)
    if (present) return Promise.resolve(present)
    if (this.all('exit').length > 0) return Promise.reject(this.missing(type))
    return new Promise((resolve, reject) => {
      this.waiters.add({ accept, resolve: (event) => resolve(event as RecordedOf<T>), reject })
    })
  }

  output<K extends BackendOutput['kind']>(kind: K, from = 0): Promise<Extract<BackendOutput, { kind: K }>> {
    return this.wait('output', (event) => event.output.kind === kind, from).then(
      (event) => event.output as Extract<BackendOutput, { kind: K }>,
    )
  }

  /** Sends a prompt and resolves when its turn is complete. */
  async turn(prompt: string, decider?: Decider): Promise<Turn> {
    const from = this.events.length
    this.adapter.send(this.process, prompt)
    return this.finish(from, decider)
  }

  /** Resolves when the turn that began at `from` is complete, deciding what it asks. */
  async finish(from: number, decider?: Decider): Promise<Turn> {
    const decided = new Set<string>()
    for (;;) {
      const event = await Promise.race([
        this.wait('turn_completed', undefined, from),
        this.wait('ask', ({ request }) => !decided.has(request.callId), from),
      ])
      if (event.type === 'turn_completed') break
      if (!decider) throw new Error(`unexpected permission request: ${JSON.stringify(event.request)}`)
      decided.add(event.request.callId)
      await this.decide(event.request.callId, decider(event.request))
    }
    return this.turnSince(from)
  }

  decide(callId: string, decision: Omit<PermissionDecision, 'callId'>): Promise<void> {
    if (!this.adapter.respondToPermission) throw new Error(`${this.adapter.type} has no respondToPermission`)
    return this.adapter.respondToPermission(this.process, { ...decision, callId })
  }

  /** What was recorded, one line each: for the message of a failed test. */
  describe(): string {
    return this.events.map((event) => JSON.stringify(event).slice(0, 300)).join('\n')
  }

  private turnSince(from: number): Turn {
    const end = this.events.findIndex((event, index) => index >= from && event.type === 'turn_completed')
    const events = this.events.slice(from, end + 1)
    const of = <T extends Recorded['type']>(type: T) =>
      events.filter((event): event is RecordedOf<T> => event.type === type)
    const outputs = of('output').map((event) => event.output)
    const info = of('turn_completed')[0]?.info
    if (!info) throw new Error('the turn is not complete')
    return {
      events,
      outputs,
      live: of('live').map((event) => event.delta),
      asks: of('ask').map((event) => event.request),
      info,
      text: outputs.flatMap((output) => (output.kind === 'assistant_text' ? [output.text] : [])).join('\n'),
    }
  }

  private add(event: Recorded): void {
    this.events.push(event)
    for (const waiter of [...this.waiters]) {
      if (waiter.accept(event)) {
        this.waiters.delete(waiter)
        waiter.resolve(event)
      } else if (event.type === 'exit') {
        this.waiters.delete(waiter)
        waiter.reject(this.missing('the awaited event'))
      }
    }
  }

  private missing(what: string): Error {
    return new Error(`the process exited without ${what}. It reported:\n${this.describe()}`)
  }
}

/** `collect(adapter, await adapter.spawn(options))` */
export function collect(adapter: BackendAdapter, process: BackendProcess): Recorder {
  return new Recorder(adapter, process)
}

/**
 * No more programs at once than the policy says; further prompts wait, in their order. An idle program is asked to leave
 * first: its session goes on by resuming, and its grants survive (SES-6).
 */
import { CodedError, type HostState, type Waits } from '@roundhouse/backend-types'

export interface RunningSession {
  sessionId: string
  starting: boolean
  state: HostState | null
  /** Asks an idle host to end. False when it turned out to be busy. */
  retire(): Promise<boolean>
}

interface Waiting {
  sessionId: string
  commandId: string
  resolve(): void
  reject(error: CodedError): void
}

export class RunningLimit {
  private queue: Waiting[] = []
  private retiring = false
  /** Let in, and not yet seen among the running. */
  private readonly admitted = new Set<string>()

  private told = ''

  constructor(
    private readonly limit: () => number,
    private readonly running: () => RunningSession[],
    /** Who waits, and for what, whenever that changes. */
    private readonly tell: (waits: Waits) => void = () => {},
  ) {}

  waits(): Waits {
    const commands = this.queue.map(({ sessionId, commandId }) => ({ sessionId, commandId }))
    return { running: this.taken().size, limit: this.limit(), commands }
  }

  /** Resolves when this session may start a program. At once when it has one already. */
  enter(sessionId: string, commandId: string): Promise<void> {
    if (this.queue.length === 0 && this.mayStart(sessionId)) {
      this.admitted.add(sessionId)
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      this.queue.push({ sessionId, commandId, resolve, reject })
      this.look()
    })
  }

  /** What was let in has started, or never will. */
  entered(sessionId: string): void {
    this.admitted.delete(sessionId)
    this.look()
  }

  /** True when the command was still waiting here: it was never accepted. */
  cancel(commandId: string): boolean {
    const waiting = this.queue.find((entry) => entry.commandId === commandId)
    if (!waiting) return false
    this.queue = this.queue.filter((entry) => entry !== waiting)
    this.tellChanges()
    waiting.reject(new CodedError('COMMAND_EXPIRED', 'It was cancelled while it waited for a free place.'))
    return true
  }

  /** To be called whenever a host came, went or changed its state. */
  look(): void {
    for (const waiting of [...this.queue]) {
      if (!this.mayStart(waiting.sessionId)) break
      this.queue = this.queue.filter((entry) => entry !== waiting)
      this.admitted.add(waiting.sessionId)
      waiting.resolve()
    }
    this.tellChanges()
    if (this.queue.length > 0) void this.makeRoom()
  }

  private tellChanges(): void {
    const waits = this.waits()
    const told = waits.commands.length === 0 ? '' : JSON.stringify(waits)
    if (told === this.told) return
    this.told = told
    this.tell(waits)
  }

  private mayStart(sessionId: string): boolean {
    const taken = this.taken()
    return taken.has(sessionId) || taken.size < this.limit()
  }

  private taken(): Set<string> {
    const running = this.running().filter(hasProgram)
    return new Set([...running.map((one) => one.sessionId), ...this.admitted])
  }

  private async makeRoom(): Promise<void> {
    if (this.retiring) return
    const idle = this.running().find(({ state, starting }) => !starting && state !== null && isIdle(state))
    if (!idle) return
    this.retiring = true
    try {
      if (!(await idle.retire())) return
    } finally {
      this.retiring = false
    }
    this.look()
  }
}

/** A host that ended its program, or never started one, takes no place. */
function hasProgram({ starting, state }: RunningSession): boolean {
  if (starting) return true
  return state !== null && state.status.status !== 'resumable' && state.status.status !== 'ended'
}

function isIdle(state: HostState): boolean {
  return state.status.status === 'idle' && state.queue.length === 0 && state.requests.length === 0
}

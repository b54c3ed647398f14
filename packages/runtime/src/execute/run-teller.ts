/**
 * What an adapter reports of one run, as the log of a session would have it, and through the same projection: a run tells the
 * same here and on a hub. No process; the clock is passed in.
 */
import type {
  BackendOutput,
  CodedReason,
  DeniedCall,
  ExitInfo,
  LiveDelta,
  SessionEvent,
  TurnCompleteInfo,
} from '@roundhouse/backend-types'
import { emptyRun, foldRun, type RunLog } from '../run'
import type { RunNews } from './run-news'

const turn = { turnId: 'turn', procId: 'program' }

interface OpenCall {
  callId: string
  parentCallId?: string
}

export class RunTeller {
  private run: RunLog = emptyRun
  private readonly open = new Map<string, OpenCall>()
  /** With the reasons, which programs do not repeat. */
  private readonly denied: DeniedCall[] = []

  constructor(
    private readonly nowMs: () => number,
    private readonly tell: (news: RunNews) => void,
  ) {}

  get isOver(): boolean {
    return this.run.done !== null
  }

  begins(): void {
    this.record({ kind: 'turn_started', ...turn, trigger: 'prompt' })
  }

  session(backendSessionId: string): void {
    this.record({ kind: 'session_started', ...turn, backendSessionId, resumed: false })
  }

  output(output: BackendOutput): void {
    if (output.kind === 'tool_use') {
      const { callId, parentCallId } = output
      this.open.set(callId, { callId, ...(parentCallId === undefined ? {} : { parentCallId }) })
    }
    if (output.kind === 'tool_result') this.open.delete(output.callId)
    if (output.kind === 'assistant_text') this.record({ ...output, ...turn }, output.blockId)
    else if (output.kind === 'tool_use' || output.kind === 'tool_result') this.record({ ...output, ...turn })
  }

  /** Of what the program says itself: helpers speak by the results of their calls. */
  live({ kind, blockId, text, parentCallId, discarded = false }: LiveDelta): void {
    if (this.isOver || kind !== 'assistant_text' || parentCallId !== undefined) return
    if (discarded) this.tell({ kind: 'taken_back', blockId })
    else if (text !== '') this.tell({ kind: 'piece', blockId, text })
  }

  denies(call: DeniedCall): void {
    this.denied.push(call)
  }

  completed(info: TurnCompleteInfo): void {
    if (this.run.backendSessionId === null && info.backendSessionId !== undefined) this.session(info.backendSessionId)
    const { reason = 'completed', error, cost, usage, numTurns, stopReason, apiDuration, denials = [] } = info
    this.end({
      kind: 'turn_completed',
      ...turn,
      reason,
      ...(error && { error }),
      ...(cost !== undefined && { cost }),
      ...(usage && { usage }),
      ...(numTurns !== undefined && { numTurns }),
      ...(stopReason !== undefined && { stopReason }),
      ...(apiDuration !== undefined && { apiDuration }),
      denials: [...this.denied, ...denials],
    })
  }

  interrupted(): void {
    this.end({ kind: 'turn_completed', ...turn, reason: 'interrupted', denials: this.denied })
  }

  exited(code: number | null, { signal = null, stderrTail = '' }: Partial<ExitInfo> = {}): void {
    this.record({ kind: 'process_exited', ...turn, code, signal, stderrTail, cause: 'crashed' })
    this.end({ kind: 'turn_completed', ...turn, reason: 'process_exited', denials: this.denied })
  }

  /** Nothing of it ran. */
  failed(error: CodedReason): void {
    this.end({ kind: 'turn_completed', ...turn, reason: 'failed', error })
  }

  /** Every call has its result before the end. */
  private end(completed: SessionEvent): void {
    for (const call of this.open.values())
      this.record({ kind: 'tool_result', ...turn, ...call, output: null, isError: true, interrupted: true })
    this.open.clear()
    this.record(completed)
  }

  private record(event: SessionEvent, blockId?: string): void {
    const { run, events } = foldRun(this.run, event, { seq: this.run.seq + 1, at: Math.round(this.nowMs()) })
    this.run = run
    for (const { event: one } of events)
      this.tell({ kind: 'event', event: one, ...(blockId === undefined ? {} : { blockId }) })
  }
}

/**
 * The tool calls of one turn: told, asked about, run. Every call that was told gets exactly one result, whatever happens.
 */
import type { DeniedCall } from '@roundhouse/backend-types'
import type { FromPlayer, ToolOutcome } from '../script/frames'
import { type CallingStep, findScript, isRecord, type Step, type ToolCall } from '../script/script'
import { pause, Stopped, throwIfStopped, untilStopped } from './pause'
import { type Beside, type Decided, nested, type Stage } from './stage'
import { asksByItself, changesSomething, needsLeave, runTool, toolExists } from './tools'

const interrupted: ToolOutcome = { output: 'The person stopped this call. Wait for them.', failed: true, stopped: true }

export interface CallsOfTurn {
  stage: Stage
  number: number
  /** What the calls are called after. */
  name: string
  /** The turn is being stopped. */
  stopped: AbortSignal
  /** The host is gone. */
  abandoned: AbortSignal
  stop(): void
  /** A sub-agent's steps; gives back what it said last. */
  playNested(steps: Step[], under: string): Promise<string>
}

export class ToolCalls {
  private readonly asks = new Map<string, (decided: Decided) => void>()
  private count = 0
  /** Calls that did not run because nobody allowed them. */
  readonly denied: DeniedCall[] = []
  /** How the latest call was decided. */
  last: { allowed: boolean; reason?: string } = { allowed: true }

  constructor(private readonly turn: CallsOfTurn) {}

  decide(call: string, decided: Decided): void {
    this.asks.get(call)?.(decided)
  }

  /** Several calls are made at once: their asks are open at the same time. */
  async make(calls: ToolCall[], under: string | undefined): Promise<void> {
    const named = calls.map((call) => ({ call, id: `call-${this.turn.name}-${++this.count}` }))
    for (const { call, id } of named) {
      await this.print({ type: 'call', call: id, tool: call.name, input: call.input ?? {}, ...nested(under) })
    }
    const results = await Promise.allSettled(named.map(({ call, id }) => this.makeOne(call, id, under)))
    for (const result of results) if (result.status === 'rejected') throw result.reason
    throwIfStopped(this.turn.stopped)
  }

  private async makeOne(call: ToolCall, id: string, under: string | undefined): Promise<void> {
    const result = (outcome: ToolOutcome) => this.print({ type: 'result', call: id, ...outcome, ...nested(under) })
    const refusal = this.refusalOf(call)
    if (refusal !== undefined) return result({ output: refusal, failed: true })
    const decided = await this.permission(call, id)
    this.last = { allowed: decided.decision === 'allow', ...(decided.reason ? { reason: decided.reason } : {}) }
    if (decided.decision !== 'allow') {
      if (decided.decision !== 'unanswered') {
        this.denied.push({ toolName: call.name, callId: id, ...(decided.reason ? { reason: decided.reason } : {}) })
      }
      await result({ output: sentenceOf(decided), failed: true, stopped: decided.decision === 'abort' })
      if (decided.decision === 'abort') this.turn.stop()
      return
    }
    try {
      const outcome = await this.run(call, id, decided.input ?? call.input ?? {})
      await result(this.turn.stopped.aborted ? interrupted : outcome)
    } catch (error) {
      await result(error instanceof Stopped ? interrupted : { output: String(error), failed: true })
      throw error
    }
  }

  private refusalOf(call: ToolCall): string | undefined {
    const { mcpServers, disallowedTools, mode } = this.turn.stage.settings()
    if (!toolExists(call.name, mcpServers, disallowedTools)) return `No such tool available: ${call.name}`
    return mode === 'plan' && changesSomething(call.name) ? 'Plan mode: nothing is changed' : undefined
  }

  private async permission(call: ToolCall, id: string): Promise<Decided> {
    const { settings, workDir } = this.turn.stage
    const waits = asksByItself(call.name) || needsLeave(call.name, settings().mode)
    const asks = call.ask ?? (waits && !settings().allowedTools.includes(call.name))
    if (asks === false) return { decision: 'allow' }
    const reason = reasonOf(call, asks)
    const decided = new Promise<Decided>((resolve) => this.asks.set(id, resolve))
    await this.print({ type: 'ask', call: id, tool: call.name, input: call.input ?? {}, ...reason, cwd: workDir })
    const nobody = untilStopped(this.turn.abandoned).then((): Decided => ({ decision: 'unanswered' }))
    const first = await Promise.race([decided, nobody, untilStopped(this.turn.stopped)])
    this.asks.delete(id)
    if (first) return first
    await this.print({ type: 'withdraw', call: id })
    return { decision: 'abort' }
  }

  private async run(call: ToolCall, id: string, input: unknown): Promise<ToolOutcome> {
    const { stage, stopped } = this.turn
    throwIfStopped(stopped)
    const steps = nestedStepsOf(call, input)
    const beside = besideOf(call, input, steps)
    if (beside) {
      const tellAndPlay = async (at: Beside) => {
        await this.progress(call, id, at.stopped)
        return beside.play(id)(at)
      }
      return { output: stage.goOn({ ...beside.task, callId: id }, tellAndPlay), failed: false, beside: true }
    }
    await this.progress(call, id, stopped)
    if (call.tookMs) await pause(call.tookMs, stopped)
    if (steps) return { output: call.output ?? (await this.turn.playNested(steps, id)), failed: false }
    const { workDir, env } = stage
    return runTool({ workDir, env, settings: stage.settings(), signal: stopped }, call, input)
  }

  private async progress(call: ToolCall, id: string, stopped: AbortSignal): Promise<void> {
    for (const text of call.progress ?? []) {
      await this.print({ type: 'progress', call: id, text })
      await pause(0, stopped)
    }
  }

  private print(frame: FromPlayer): Promise<void> {
    return this.turn.stage.printer.frames(this.turn.number, [frame])
  }
}

/** A question and a plan change nothing, and say themselves what they want. */
function reasonOf({ name }: ToolCall, asks: string | boolean): { reason?: string } {
  if (typeof asks === 'string') return { reason: asks }
  return changesSomething(name) ? { reason: `${name} may change something` } : {}
}

/** A step makes its own call, if any, and those of its list. */
export function callsOf(step: CallingStep & Partial<ToolCall>): ToolCall[] {
  const { tool, input, output, isError, ask, progress, tookMs } = step
  const own = tool === undefined ? [] : [{ name: tool, input, output, isError, ask, progress, tookMs }]
  return [...own, ...(step.tools ?? [])]
}

function nestedStepsOf(call: ToolCall, input: unknown): Step[] | null {
  const prompt = isRecord(input) && (call.name === 'Agent' || call.name === 'Task') ? input.prompt : undefined
  return typeof prompt === 'string' ? findScript(prompt) : null
}

/**
 * `run_in_background`, as Claude Code has it: a helper plays its script; a command only lasts as long as it sleeps, and gives
 * the code that it names (`exit 3`).
 */
function besideOf(call: ToolCall, input: unknown, steps: Step[] | null) {
  if (!isRecord(input) || input.run_in_background !== true) return null
  const { description, command } = input
  const label = String(description ?? command ?? call.name)
  if (steps) {
    const play = (id: string) => (beside: Beside) => beside.playUnder(steps, id).then(() => undefined)
    return { task: { kind: 'helper' as const, label }, play }
  }
  const seconds = Number(/sleep (\d+(\.\d+)?)/.exec(String(command))?.[1] ?? 0)
  const exitCode = Number(/exit (\d+)/.exec(String(command))?.[1] ?? 0)
  return {
    task: { kind: 'command' as const, label },
    play: () => (beside: Beside) => pause(seconds * 1_000, beside.stopped).then(() => exitCode),
  }
}

function sentenceOf({ decision, reason }: Decided): string {
  if (decision === 'unanswered') return 'Nobody answered the permission request'
  if (decision === 'abort') return 'Stopped by the person'
  return reason ? `Permission denied: ${reason}` : 'Permission denied'
}

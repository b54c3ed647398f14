/**
 * Plays the steps of one turn. It always ends with one `end` frame, and before it every open block, ask and call is closed,
 * whatever stopped it.
 */
import type { Answer, FromPlayer, Settings, Tokens } from '../frames'
import { findScript, isRecord, type Step, type ToolCall } from '../script'
import { withReason } from './demo'
import { flood, halfLineAndDie, leaveChildBehind, printGarbage } from './faults'
import { modelOf, tokensOf } from './meter'
import { pause, Stopped, TurnFailure, throwIfStopped, untilStopped } from './pause'
import type { Printer } from './printer'
import { changesSomething, runTool, toolExists } from './tools'

export interface Stage {
  printer: Printer
  workDir: string
  env: Record<string, string | undefined>
  /** As they are at this moment: a change takes effect with the next step. */
  settings(): Settings
  /** Everything said so far, in characters: what a model would have to read. */
  historyLength(): number
  recall(): { turns: number; last: string | undefined }
  startLater(step: NonNullable<Step['background']>): void
  liveOn(): void
}

interface Answered {
  answer: Answer
  reason?: string
  input?: unknown
}

const MODEL_ATTEMPTS = 3

export class Turn {
  private readonly stop = new AbortController()
  private readonly abandoned = new AbortController()
  private readonly asks = new Map<string, (answered: Answered) => void>()
  private readonly steered: string[] = []
  private readonly tokens: Tokens = { input: 0, output: 0, cached: 0 }
  private last: { allowed: boolean; reason?: string } = { allowed: true }
  private used = 0
  private blocks = 0
  private calls = 0
  private closed = false

  constructor(
    private readonly stage: Stage,
    private readonly number: number,
  ) {}

  interrupt(): void {
    this.stop.abort()
  }

  /** False when nobody waits for that call. */
  answer(call: string, answered: Answered): boolean {
    const settle = this.asks.get(call)
    settle?.(answered)
    return settle !== undefined
  }

  /** The host is gone: nobody will answer, and what hangs will not end. */
  abandon(): void {
    for (const settle of this.asks.values()) settle({ answer: 'unanswered' })
    this.abandoned.abort()
  }

  steer(text: string): boolean {
    if (this.closed || this.stop.signal.aborted) return false
    this.steered.push(text)
    return true
  }

  /** `beforeEnd` runs before the end is printed: whoever reads the end may rely on it. */
  async play(steps: Step[], beforeEnd: () => void): Promise<void> {
    const startedAt = Date.now()
    const ended = await this.outcome(steps)
    this.closed = true
    beforeEnd()
    const window = modelOf(this.stage.settings().model).total
    const usd = Math.round(this.tokens.input * 3 + this.tokens.output * 15) / 1e6
    await this.print({
      type: 'end',
      ...ended,
      usd,
      ms: Date.now() - startedAt,
      tokens: this.tokens,
      used: this.used,
      window,
    })
  }

  private async outcome(steps: Step[]): Promise<Pick<Extract<FromPlayer, { type: 'end' }>, 'outcome' | 'error'>> {
    try {
      await this.playAll(steps)
      for (let text = this.steered.shift(); text !== undefined; text = this.steered.shift()) {
        await this.playAll(findScript(text) ?? [{ text: `Noted: ${text}` }])
      }
      return { outcome: 'completed' }
    } catch (error) {
      if (error instanceof Stopped) return { outcome: 'interrupted' }
      if (error instanceof TurnFailure) return failed(error.code, error.message)
      return failed('BACKEND_ERROR', `The script could not be played: ${String(error)}`)
    }
  }

  private async playAll(steps: Step[], under?: string): Promise<string> {
    let said = ''
    for (const step of steps) {
      throwIfStopped(this.stop.signal)
      if (step.when === undefined || (step.when === 'allowed') === this.last.allowed) {
        said = (await this.playStep(step, under)) ?? said
      }
    }
    return said
  }

  /** Gives back the text it said, if any. */
  private async playStep(step: Step, under: string | undefined): Promise<string | undefined> {
    if (step.sleep) await pause(step.sleep, this.stop.signal)
    throwIfStopped(this.stop.signal)
    await this.playEffects(step)
    if (step.error) await this.modelError(step)
    if (step.thinking && this.stage.settings().thinking !== 'off')
      await this.stream('think', step.thinking, step, under)
    const said = this.textOf(step)
    if (said !== undefined) await this.stream('say', said, step, under)
    if (step.hang) await this.hang()
    if (step.drop || step.streamError)
      throw new TurnFailure('BACKEND_ERROR', step.streamError ?? 'The connection was cut')
    await this.measure(step, said ?? '')
    if (step.count) await this.count(step.count, under)
    if (step.plan) await this.print({ type: 'todo', items: step.plan, ...nested(under) })
    await this.callTools(callsOf(step), under)
    if (step.flood) await flood(this.stage.printer, this.number, step.flood, this.stop.signal)
    if (step.halfLine !== undefined) await halfLineAndDie(this.stage.printer, step.halfLine)
    if (step.crash !== undefined) process.exit(step.crash)
    return said
  }

  private async playEffects(step: Step): Promise<void> {
    if (step.ignoreSigterm) process.on('SIGTERM', () => undefined)
    if (step.orphan) this.stage.liveOn()
    if (step.background) this.stage.startLater(step.background)
    if (step.stderr !== undefined)
      await new Promise<void>((resolve) => process.stderr.write(`${step.stderr}\n`, () => resolve()))
    if (step.system) await this.print({ type: 'note', subtype: step.system.subtype, data: step.system.data ?? null })
    if (step.garbage !== undefined) await printGarbage(this.stage.printer, step.garbage)
    if (step.fork) await this.print({ type: 'say', text: `child ${leaveChildBehind(step.fork.lifeMs)}` })
  }

  private textOf(step: Step): string | undefined {
    if (!step.recall) return step.text === undefined ? undefined : this.cut(withReason(step.text, this.last.reason))
    const { turns, last } = this.stage.recall()
    return `Remembered turns: ${turns}. Last user text: ${last ?? '(none)'}`
  }

  /** The limit of one answer, at four characters a token. */
  private cut(text: string): string {
    return text.slice(0, this.stage.settings().maxOutputTokens * 4)
  }

  private async stream(of: 'say' | 'think', text: string, step: Step, under: string | undefined): Promise<void> {
    const block = `block-${this.number}-${++this.blocks}`
    let written = ''
    for (const piece of text.match(new RegExp(`[\\s\\S]{1,${Math.max(1, step.chunk ?? 16)}}`, 'gu')) ?? []) {
      if (this.stop.signal.aborted) break
      await this.print({ type: 'piece', block, of, text: piece, ...nested(under) })
      written += piece
      await pause(step.delayMs ?? 0, this.stop.signal)
    }
    if (of === 'say' && step.hang) await this.untilStopped()
    if (of === 'say' && (step.drop || step.streamError))
      return this.print({ type: 'forget', block, of, ...nested(under) })
    if (written !== '') await this.print({ type: of, block, text: written, ...nested(under) })
    throwIfStopped(this.stop.signal)
  }

  private async hang(): Promise<void> {
    await this.untilStopped()
    throw new Stopped()
  }

  private untilStopped(): Promise<void> {
    return untilStopped(AbortSignal.any([this.stop.signal, this.abandoned.signal]))
  }

  private async count(count: NonNullable<Step['count']>, under: string | undefined): Promise<void> {
    for (let n = 1; n <= count.to; n++) {
      throwIfStopped(this.stop.signal)
      await this.print({ type: 'say', text: `${count.prefix ?? 'line'} ${n}`, ...nested(under) })
      await pause(count.delayMs ?? 0, this.stop.signal)
    }
  }

  private async modelError(step: Step): Promise<void> {
    const failures = step.times ?? MODEL_ATTEMPTS
    for (let attempt = 1; attempt <= Math.min(failures, MODEL_ATTEMPTS - 1); attempt++) {
      const data = { attempt, maxRetries: MODEL_ATTEMPTS - 1, status: step.error }
      await this.print({ type: 'note', subtype: 'api_retry', data })
    }
    if (failures >= MODEL_ATTEMPTS) {
      throw new TurnFailure(codeOfStatus(step.error ?? 500), step.message ?? `The model service answered ${step.error}`)
    }
  }

  private async measure(step: Step, said: string): Promise<void> {
    const added = tokensOf(step, this.stage.historyLength(), said)
    this.tokens.input += added.input
    this.tokens.output += added.output
    this.tokens.cached += added.cached
    this.used = added.input + added.output
    await this.print({ type: 'tokens', used: this.used, window: modelOf(this.stage.settings().model).total })
  }

  private async callTools(calls: ToolCall[], under: string | undefined): Promise<void> {
    const named = calls.map((call) => ({ call, id: `call-${this.number}-${++this.calls}` }))
    for (const { call, id } of named) {
      await this.print({ type: 'call', call: id, tool: call.name, input: call.input ?? {}, ...nested(under) })
    }
    const results = await Promise.allSettled(named.map(({ call, id }) => this.callTool(call, id, under)))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  private async callTool(call: ToolCall, id: string, under: string | undefined): Promise<void> {
    const result = (output: unknown, isError: boolean) =>
      this.print({ type: 'result', call: id, output, failed: isError, ...nested(under) })
    const refusal = this.refusalOf(call)
    if (refusal !== undefined) return result(refusal, true)
    const answered = await this.permission(call, id)
    this.last = { allowed: answered.answer === 'allow', ...(answered.reason ? { reason: answered.reason } : {}) }
    if (answered.answer !== 'allow') {
      await result(sentenceOf(answered), true)
      if (answered.answer === 'abort') this.interrupt()
    } else if (!this.stop.signal.aborted) {
      const outcome = await this.run(call, id, answered.input ?? call.input ?? {}).catch(async (error) => {
        await result(String(error), true)
        throw error
      })
      if (this.stop.signal.aborted) await result('Interrupted', true)
      else await result(outcome.output, outcome.failed)
    }
    throwIfStopped(this.stop.signal)
  }

  private refusalOf(call: ToolCall): string | undefined {
    const { mcpServers, disallowedTools, mode } = this.stage.settings()
    if (!toolExists(call.name, mcpServers, disallowedTools)) return `No such tool available: ${call.name}`
    return mode === 'plan' && changesSomething(call.name) ? 'Plan mode: nothing is changed' : undefined
  }

  private async permission(call: ToolCall, id: string): Promise<Answered> {
    const asks = call.ask ?? (changesSomething(call.name) && !this.stage.settings().allowedTools.includes(call.name))
    if (asks === false) return { answer: 'allow' }
    const reason = typeof asks === 'string' ? asks : `${call.name} may change something`
    const answered = new Promise<Answered>((resolve) => this.asks.set(id, resolve))
    await this.print({
      type: 'ask',
      call: id,
      tool: call.name,
      input: call.input ?? {},
      reason,
      cwd: this.stage.workDir,
    })
    const first = await Promise.race([answered, untilStopped(this.stop.signal)])
    this.asks.delete(id)
    if (first) return first
    await this.print({ type: 'withdraw', call: id })
    return { answer: 'abort' }
  }

  private async run(call: ToolCall, id: string, input: unknown) {
    for (const text of call.progress ?? []) {
      await this.print({ type: 'progress', call: id, text })
      await pause(0, this.stop.signal)
    }
    if (call.tookMs) await pause(call.tookMs, this.stop.signal)
    const prompt = isRecord(input) && (call.name === 'Agent' || call.name === 'Task') ? input.prompt : undefined
    const nestedSteps = typeof prompt === 'string' ? findScript(prompt) : null
    if (nestedSteps)
      return { output: call.output ?? (await this.playAll(nestedSteps, id).catch(asStopped)), failed: false }
    const { workDir, env } = this.stage
    return runTool({ workDir, env, settings: this.stage.settings(), signal: this.stop.signal }, call, input)
  }

  private print(frame: FromPlayer): Promise<void> {
    return this.stage.printer.frames(this.number, [frame])
  }
}

function callsOf(step: Step): ToolCall[] {
  const { output, isError, ask, progress, tookMs } = step
  const one =
    step.tool === undefined ? [] : [{ name: step.tool, input: step.input, output, isError, ask, progress, tookMs }]
  return [...one, ...(step.tools ?? [])]
}

const nested = (under: string | undefined) => (under === undefined ? {} : { under })

/** The caller sees on its signal that it was stopped, and still has to close the call. */
function asStopped(error: unknown): string {
  if (error instanceof Stopped) return ''
  throw error
}

function failed(code: string, message: string) {
  return { outcome: 'failed' as const, error: { code, message } }
}

function sentenceOf({ answer, reason }: Answered): string {
  if (answer === 'unanswered') return 'Nobody answered the permission request'
  if (answer === 'abort') return 'Stopped by the person'
  return reason ? `Permission denied: ${reason}` : 'Permission denied'
}

function codeOfStatus(status: number): string {
  if (status === 401 || status === 403) return 'BACKEND_AUTH'
  if (status === 429) return 'BACKEND_QUOTA'
  return status === 529 || status === 503 ? 'BACKEND_OVERLOADED' : 'BACKEND_ERROR'
}

/**
 * Plays the steps of one turn. It always ends with one `end` frame, and before it every open block, ask and call is closed,
 * whatever stopped it.
 */
import { MISSING_MODEL } from '../script/catalogue'
import type { FromPlayer, Tokens } from '../script/frames'
import { findScript, type ServiceStep, type SpokenStep, type Step } from '../script/script'
import { withReason } from './demo'
import { flood, halfLineAndDie, leaveChildBehind, printGarbage } from './faults'
import { modelOf, tokensOf } from './meter'
import { pause, Stopped, TurnFailure, throwIfStopped, untilStopped } from './pause'
import { type Decided, nested, type Stage } from './stage'
import { callsOf, ToolCalls } from './tool-calls'

type End = Extract<FromPlayer, { type: 'end' }>

/** A program asks its model service again before it gives up. */
const MODEL_ATTEMPTS = 3

export class Turn {
  private readonly stopping = new AbortController()
  private readonly abandoning = new AbortController()
  private readonly calls: ToolCalls
  private readonly steered: string[] = []
  private readonly tokens: Tokens = { input: 0, output: 0, cached: 0, written: 0 }
  private used = 0
  private modelMs = 0
  private modelCalls = 0
  private blocks = 0
  private closed = false

  constructor(
    private readonly stage: Stage,
    private readonly number: number,
    /** What its calls and blocks are called after. */
    private readonly name: string = String(number),
  ) {
    this.calls = new ToolCalls({
      stage,
      number,
      name,
      stopped: this.stopping.signal,
      abandoned: this.abandoning.signal,
      stop: () => this.interrupt(),
      playNested: (steps, under) => this.playAll(steps, under),
    })
  }

  interrupt(): void {
    this.stopping.abort()
  }

  get stopped(): AbortSignal {
    return this.stopping.signal
  }

  /** The steps of a helper: no turn, so it has no end of its own to tell. */
  async playUnder(steps: Step[], call: string): Promise<void> {
    await this.playAll(steps, call)
  }

  /** The host is gone: nobody will decide, and a step that hangs will not end. */
  abandon(): void {
    this.abandoning.abort()
  }

  decide(call: string, decided: Decided): void {
    this.calls.decide(call, decided)
  }

  /** False when it comes too late. */
  steer(text: string): boolean {
    if (this.closed || this.stopping.signal.aborted) return false
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
    const ms = Date.now() - startedAt
    const cost = steps.reduce((sum, step) => sum + (step.cost ?? 0), 0)
    const meta = steps.findLast((step) => step.meta !== undefined)?.meta
    await this.print({
      type: 'end',
      ...ended,
      ...(cost > 0 ? { cost } : {}),
      ...(meta ? { meta } : {}),
      ms,
      modelMs: this.modelMs,
      modelCalls: this.modelCalls,
      ...(ended.outcome === 'completed' ? { stop: 'end_turn' } : {}),
      denied: this.calls.denied,
      tokens: this.tokens,
      used: this.used,
      window,
    })
  }

  private async outcome(steps: Step[]): Promise<Pick<End, 'outcome' | 'error'>> {
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
      throwIfStopped(this.stopping.signal)
      if (step.when === undefined || (step.when === 'allowed') === this.calls.last.allowed) {
        said = (await this.playStep(step, under)) ?? said
      }
    }
    return said
  }

  /** Gives back the text it said, if any. */
  private async playStep(step: Step, under: string | undefined): Promise<string | undefined> {
    if (step.sleep) await pause(step.sleep, this.stopping.signal)
    throwIfStopped(this.stopping.signal)
    await this.playEffects(step)
    const askedAt = Date.now()
    const said = await this.playModelCall(step, under).finally(() => {
      this.modelMs += Date.now() - askedAt
    })
    if (step.count) await this.count(step.count, under)
    if (step.plan) await this.print({ type: 'todo', items: step.plan, ...nested(under) })
    await this.calls.make(callsOf(step), under)
    if (step.flood) await flood(this.stage.printer, this.number, step.flood, this.stopping.signal)
    if (step.halfLine !== undefined) await halfLineAndDie(this.stage.printer, step.halfLine)
    if (step.crash !== undefined) process.exit(step.crash)
    return said
  }

  private async playEffects(step: Step): Promise<void> {
    if (step.ignoreSigterm) process.on('SIGTERM', () => undefined)
    if (step.orphan) this.stage.liveOn()
    if (step.clear) await this.stage.clear()
    if (step.mode !== undefined) await this.stage.changeMode(step.mode)
    if (step.background) this.stage.startLater(step.background)
    if (step.stderr !== undefined) await written(process.stderr, `${step.stderr}\n`)
    if (step.system) await this.print({ type: 'note', subtype: step.system.subtype, data: step.system.data ?? null })
    if (step.garbage !== undefined) await printGarbage(this.stage.printer, step.garbage)
    if (step.fork) await this.print({ type: 'say', text: `child ${leaveChildBehind(step.fork.lifeMs)}` })
  }

  /** What a model would stream, and the ways in which that goes wrong. */
  private async playModelCall(step: Step, under: string | undefined): Promise<string | undefined> {
    this.requireModel()
    if (step.error) await this.modelError(step)
    const thinks = step.thinking && this.stage.settings().thinking !== 'off'
    if (thinks) await this.stream('think', step.thinking ?? '', step, under)
    const said = this.textOf(step)
    if (said !== undefined) await this.stream('say', said, step, under)
    if (step.hang) {
      await this.untilEnded()
      throw new Stopped()
    }
    if (step.drop || step.streamError) {
      throw new TurnFailure('BACKEND_ERROR', step.streamError ?? 'The connection was cut')
    }
    await this.measure(step, said ?? '')
    return said
  }

  private requireModel(): void {
    const { model } = this.stage.settings()
    if (model !== MISSING_MODEL) return
    throw new TurnFailure('MODEL_UNAVAILABLE', `The model "${model}" does not exist or you do not have access to it.`)
  }

  private textOf(step: Step): string | undefined {
    if (!step.recall)
      return step.text === undefined ? undefined : this.cut(withReason(step.text, this.calls.last.reason))
    const { turns, last } = this.stage.recall()
    return `Remembered turns: ${turns}. Last user text: ${last ?? '(none)'}`
  }

  /** The limit of one answer, at four characters a token. */
  private cut(text: string): string {
    return text.slice(0, this.stage.settings().maxOutputTokens * 4)
  }

  private async stream(
    of: 'say' | 'think',
    text: string,
    step: SpokenStep & ServiceStep,
    under: string | undefined,
  ): Promise<void> {
    const block = `block-${this.name}-${++this.blocks}`
    let said = ''
    for (const piece of piecesOf(text, step.chunk)) {
      if (this.stopping.signal.aborted) break
      await this.print({ type: 'piece', block, of, text: piece, ...nested(under) })
      said += piece
      await pause(step.delayMs ?? 0, this.stopping.signal)
    }
    if (of === 'say' && step.hang) await this.untilEnded()
    if (of === 'say' && (step.drop || step.streamError))
      return this.print({ type: 'forget', block, of, ...nested(under) })
    if (said !== '') await this.print({ type: of, block, text: said, ...nested(under) })
    throwIfStopped(this.stopping.signal)
  }

  private untilEnded(): Promise<void> {
    return untilStopped(AbortSignal.any([this.stopping.signal, this.abandoning.signal]))
  }

  private async count(count: NonNullable<Step['count']>, under: string | undefined): Promise<void> {
    for (let n = 1; n <= count.to; n++) {
      throwIfStopped(this.stopping.signal)
      const stamp = count.stamp ? ` @${performance.timeOrigin + performance.now()}` : ''
      await this.print({ type: 'say', text: `${count.prefix ?? 'line'} ${n}${stamp}`, ...nested(under) })
      await pause(count.delayMs ?? 0, this.stopping.signal)
    }
  }

  private async modelError(step: ServiceStep): Promise<void> {
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
    this.tokens.written += added.written
    this.modelCalls += 1
    this.used = added.input + added.output
    await this.print({ type: 'tokens', used: this.used, window: modelOf(this.stage.settings().model).total })
  }

  private print(frame: FromPlayer): Promise<void> {
    return this.stage.printer.frames(this.number, [frame])
  }
}

function piecesOf(text: string, size = 16): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${Math.max(1, size)}}`, 'gu')) ?? []
}

function written(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()))
}

function failed(code: string, message: string) {
  return { outcome: 'failed' as const, error: { code, message } }
}

function codeOfStatus(status: number): string {
  if (status === 401 || status === 403) return 'BACKEND_AUTH'
  if (status === 404) return 'MODEL_UNAVAILABLE'
  if (status === 429) return 'BACKEND_QUOTA'
  return status === 529 || status === 503 ? 'BACKEND_OVERLOADED' : 'BACKEND_ERROR'
}

/** What a turn cost, how long the model took for it and how full the window is, from figures that the CLI gives in pieces. */
import { type ContextUsage, type TokenBudgetWarning, tokenBudgetWarning } from '@roundhouse/backend-types'
import { asRecord, type Frame, numberAt, recordAt, textAt } from '../wire/frames'

/**
 * A figure that adds up over the life of a process, and after a resume may go on from the process before (it does after an
 * orderly end of 2.1.330; 2.1.197, and any version after a SIGKILL, start lower). So a resumed process has no baseline until
 * the CLI was asked for one, and a total below the baseline means that the count began anew.
 */
class Total {
  /** `undefined`: not known yet. */
  constructor(private baseline: number | undefined) {}

  setBaseline(total: number): void {
    this.baseline ??= total
  }

  /** What it grew by since the last one. `undefined`: there was no baseline. */
  grewTo(total: number): number | undefined {
    const before = this.baseline
    this.baseline = total
    if (before === undefined) return undefined
    return total >= before ? total - before : total
  }
}

export class CostMeter {
  private readonly total: Total

  constructor(baseline: number | undefined) {
    this.total = new Total(baseline)
  }

  setBaseline(dollars: number): void {
    this.total.setBaseline(dollars)
  }

  /** US dollars since the last result. */
  turn(result: Frame): number | undefined {
    const dollars = numberAt(result, 'total_cost_usd')
    if (dollars === undefined) return undefined
    const share = this.total.grewTo(dollars)
    return share === undefined ? sumOfModels(recordAt(result, 'model_usage_since_last_result')) : round(share)
  }
}

/** `duration_api_ms`, which adds up as the cost does. A command of the CLI itself has 0 there, and says nothing by it. */
export class ApiTimeMeter {
  private readonly total: Total

  constructor(baseline: number | undefined) {
    this.total = new Total(baseline)
  }

  setBaseline(millis: number): void {
    this.total.setBaseline(millis)
  }

  /** Milliseconds since the last result that named them. */
  turn(result: Frame): number | undefined {
    const millis = numberAt(result, 'duration_api_ms')
    return millis === undefined || numberAt(result, 'num_turns') === 0 ? undefined : this.total.grewTo(millis)
  }
}

function sumOfModels(models: Frame | undefined): number | undefined {
  if (!models) return undefined
  return round(
    Object.values(models).reduce<number>((sum, model) => sum + (numberAt(asRecord(model), 'costUSD') ?? 0), 0),
  )
}

/** Sub-cent sums of floats: ten decimals are more than any price list has. */
function round(dollars: number): number {
  return Math.round(dollars * 1e10) / 1e10
}

/** The answer's room where nobody set one and the CLI has not named it yet. */
const DEFAULT_MAX_OUTPUT_TOKENS = 32_000

export class ContextMeter {
  private used: number | undefined
  private window: number | undefined
  private modelMaxOutput: number | undefined
  private model: string | undefined
  private initModel: string | undefined
  private warned = false

  constructor(private readonly maxOutputTokens: number | undefined) {}

  /** `system/init` names the model with its window suffix (`claude-x[1m]`), messages name it without. */
  init(model: string | undefined): void {
    this.initModel = model
  }

  /** A message of the main conversation: everything the request held. */
  message(message: Frame | undefined): void {
    const usage = recordAt(message, 'usage')
    const input = inputTokens(usage)
    if (input === 0) return
    this.used = input
    this.model = textAt(message, 'model') ?? this.model
  }

  /** The end of that message: what the answer added. */
  answered(outputTokens: number | undefined, inputOfMessage: number | undefined): void {
    if (outputTokens === undefined || inputOfMessage === undefined) return
    this.used = inputOfMessage + outputTokens
  }

  compacted(tokens: number | undefined): void {
    if (tokens !== undefined) this.used = tokens
  }

  /** `modelUsage` of a result is the only place that tells the window. */
  result(result: Frame): void {
    const entry = this.entryOf(recordAt(result, 'modelUsage'))
    this.window = numberAt(entry, 'contextWindow') ?? this.window
    this.modelMaxOutput = numberAt(entry, 'maxOutputTokens') ?? this.modelMaxOutput
  }

  usage(): ContextUsage | undefined {
    if (this.used === undefined || this.window === undefined) return undefined
    return { used: this.used, total: this.window }
  }

  /** A warning, when one is due now. */
  warning(): TokenBudgetWarning | undefined {
    if (this.used === undefined || this.window === undefined) return undefined
    const { warned, warning } = tokenBudgetWarning({
      used: this.used,
      window: this.window,
      maxOutputTokens: this.maxOutputTokens ?? this.modelMaxOutput ?? DEFAULT_MAX_OUTPUT_TOKENS,
      warned: this.warned,
    })
    this.warned = warned
    return warning
  }

  private entryOf(models: Frame | undefined): Frame | undefined {
    if (!models) return undefined
    const names = Object.keys(models)
    const name =
      names.find((candidate) => candidate === this.initModel) ??
      names.find((candidate) => candidate === this.model) ??
      names.find((candidate) => this.model !== undefined && candidate.startsWith(this.model)) ??
      (names.length === 1 ? names[0] : undefined)
    return name === undefined ? undefined : asRecord(models[name])
  }
}

/** Everything that was sent, from the cache or not. */
export function inputTokens(usage: Frame | undefined): number {
  return (
    (numberAt(usage, 'input_tokens') ?? 0) +
    (numberAt(usage, 'cache_read_input_tokens') ?? 0) +
    (numberAt(usage, 'cache_creation_input_tokens') ?? 0)
  )
}

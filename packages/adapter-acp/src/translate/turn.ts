/**
 * The turn and its account. The reply to `session/prompt` ends it. Pure.
 *
 *     idle --begin--> running --end--> idle
 *                        +--cancel--> cancelling --end--> idle
 */
import { RpcError, type RpcOutcome, saysNoSuchModel } from '@roundhouse/adapter-kit'
import { asNumber, asRecord, asText, compact, isEmpty, type Json } from '@roundhouse/adapter-kit/read'
import type { ContextUsage, ErrorCode, TurnCompleteInfo } from '@roundhouse/backend-types'

export class Turn {
  private state: 'idle' | 'running' | 'cancelling' = 'idle'
  private context: ContextUsage | undefined
  /** Of the whole conversation, as the program counts. Undefined: it was resumed, and nothing was said of it yet. */
  private cost: number | undefined
  private costBefore: number | undefined
  private isSilent = true
  /** Of the requests of this turn, by a program that tells it with its answers. */
  private told: TurnCompleteInfo['usage'] | undefined

  constructor(isNew: boolean) {
    this.costBefore = isNew ? 0 : undefined
  }

  get isIdle(): boolean {
    return this.state === 'idle'
  }

  get isCancelling(): boolean {
    return this.state === 'cancelling'
  }

  begin(): void {
    this.state = 'running'
    this.isSilent = true
    this.told = undefined
  }

  /** An answer or a call. Qwen Code tells the usage of each request behind its answer. */
  heard(update: Json): void {
    this.isSilent = false
    const used = tokensOf(asRecord(asRecord(update._meta).usage))
    if (used) this.told = sumOf(this.told, used)
  }

  /** For a program that ends a turn without a word when its model call fails. */
  judged(outcome: RpcOutcome): RpcOutcome {
    if (!outcome.ok || !this.isSilent || this.isCancelling || asRecord(outcome.result).stopReason !== 'end_turn')
      return outcome
    return {
      ok: false,
      error: new Error('The program ended the turn without a word. Its call to the model may have failed.'),
    }
  }

  /** False: there is nothing to cancel. */
  cancel(): boolean {
    if (this.state === 'running') this.state = 'cancelling'
    return this.state === 'cancelling'
  }

  /** `usage_update`. Programs tell a used of 0 when a request failed, which says nothing of the window. */
  count(update: Json): ContextUsage | undefined {
    const [used, total] = [asNumber(update.used), asNumber(update.size)]
    const { amount, currency } = asRecord(update.cost)
    if (typeof amount === 'number' && currency === 'USD') this.cost = amount
    if (this.isIdle) this.costBefore ??= this.cost
    if (!used || !total || total < used) return undefined
    this.context = { used, total }
    return this.context
  }

  end(outcome: RpcOutcome): TurnCompleteInfo {
    const wasCancelled = this.state === 'cancelling'
    this.state = 'idle'
    const result = outcome.ok ? asRecord(outcome.result) : {}
    const cost = this.cost === undefined || this.costBefore === undefined ? undefined : this.cost - this.costBefore
    this.costBefore = this.cost ?? this.costBefore
    return compact({
      ...(outcome.ok ? endOf(result) : failureOf(outcome.error, wasCancelled)),
      contextUsage: this.context,
      usage: usageOf(result) ?? this.told,
      cost: cost === undefined ? undefined : Math.max(0, cost),
    })
  }
}

const reasons: Readonly<Record<string, NonNullable<TurnCompleteInfo['reason']>>> = {
  end_turn: 'completed',
  max_tokens: 'completed',
  max_turn_requests: 'max_turns',
  refusal: 'failed',
  cancelled: 'interrupted',
}

function endOf(result: Json): Pick<TurnCompleteInfo, 'reason' | 'error' | 'stopReason' | 'backendMeta'> {
  const stopReason = asText(result.stopReason)
  const said = stopReason ?? 'none'
  const reason = (Object.hasOwn(reasons, said) && reasons[said]) || 'completed'
  const error = { code: 'BACKEND_ERROR', message: 'The model refused to answer.' }
  return compact({
    reason,
    error: reason === 'failed' ? error : undefined,
    stopReason,
    backendMeta: { stopReason: said },
  })
}

/** A program that is told to stop may fail on it. */
function failureOf(error: Error, wasCancelled: boolean): Pick<TurnCompleteInfo, 'reason' | 'error'> {
  if (wasCancelled) return { reason: 'interrupted' }
  return { reason: 'failed', error: { code: errorCodeOf(error), message: sentenceOf(error) } }
}

const codes: Readonly<Record<number, ErrorCode>> = {
  [-32_000]: 'BACKEND_AUTH',
  401: 'BACKEND_AUTH',
  403: 'BACKEND_AUTH',
  429: 'BACKEND_QUOTA',
  503: 'BACKEND_OVERLOADED',
  529: 'BACKEND_OVERLOADED',
}

/** Some programs answer with the status of the model service, others with -32603 and a sentence. */
export const errorCodeOf = (error: Error): ErrorCode =>
  (error instanceof RpcError ? codes[error.code] : undefined) ??
  (saysNoSuchModel(error.message) ? 'MODEL_UNAVAILABLE' : 'BACKEND_ERROR')

/** Without the name that JSON-RPC has for its kind. */
export const sentenceOf = ({ message }: Error): string =>
  message.replace(/^(?:Internal error|Invalid params|Invalid request): (?=\S)/, '')

type Usage = NonNullable<TurnCompleteInfo['usage']>

const tokensOf = (usage: Json, quota: Json = {}): Usage | undefined => {
  const counted = compact({
    inputTokens: asNumber(usage.inputTokens) ?? asNumber(quota.input_tokens),
    outputTokens: asNumber(usage.outputTokens) ?? asNumber(quota.output_tokens),
    cachedTokens: asNumber(usage.cachedReadTokens),
    cacheWriteTokens: asNumber(usage.cachedWriteTokens),
  })
  return isEmpty(counted) ? undefined : counted
}

const usageOf = (result: Json): Usage | undefined =>
  tokensOf(asRecord(result.usage), asRecord(asRecord(asRecord(result._meta).quota).token_count))

function sumOf(before: Usage = {}, more: Usage): Usage {
  const sum = (name: keyof Usage) =>
    before[name] === undefined && more[name] === undefined ? undefined : (before[name] ?? 0) + (more[name] ?? 0)
  return compact({
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cachedTokens: sum('cachedTokens'),
    cacheWriteTokens: sum('cacheWriteTokens'),
  })
}

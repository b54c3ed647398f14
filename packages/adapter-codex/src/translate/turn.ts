/**
 * The turn of the main thread and its account. Pure.
 *
 *   idle --turnRequested--> requested --turnAccepted | turn/started--> running --turn/completed--> idle
 *   idle --turn/started--> running (it began by itself)        requested --turnRefused--> idle
 */

import { asNumber, asRecord, asText, compact, type Json } from '@roundhouse/adapter-kit/read'
import type { ContextUsage, DeniedCall, TurnCompleteInfo } from '@roundhouse/backend-types'
import { turnErrorOf } from './turn-errors'

export type TurnStatus = 'completed' | 'interrupted' | 'failed'

const emptyUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0 }

export class Turn {
  private state: 'idle' | 'requested' | 'running' = 'idle'
  private turnId: string | undefined
  /** Sums of the whole thread, as Codex counts them. Undefined until the first account. */
  private total: typeof emptyUsage | undefined
  private usage = { ...emptyUsage }
  private hasUsage = false
  /** Older releases do not count what they write to the cache. */
  private countsWrites = false
  private denials: DeniedCall[] = []
  private contextUsage: ContextUsage | undefined

  get isIdle(): boolean {
    return this.state === 'idle'
  }

  get context(): ContextUsage | undefined {
    return this.contextUsage
  }

  /** What the conversation filled of the window when Codex last told it. */
  get tokensUsed(): number | undefined {
    return this.contextUsage?.used
  }

  /** Known once Codex has accepted or started the turn. */
  get id(): string | undefined {
    return this.state === 'idle' ? undefined : this.turnId
  }

  request(): void {
    this.open('requested', undefined)
  }

  /** The reply to `turn/start`. The turn may have been started, and even be over, before it is read. */
  accept(turnId: string): void {
    if (this.state === 'requested') {
      this.state = 'running'
      this.turnId = turnId
    }
  }

  /** `turn/started`. True when nobody asked for the turn. */
  start(turnId: string): boolean {
    if (this.state === 'requested') this.accept(turnId)
    if (this.state === 'running') return false
    this.open('running', turnId)
    return true
  }

  /** `thread/tokenUsage/updated`. Its `total` runs over the whole thread, so a turn's share is the difference. */
  count(tokenUsage: Json): ContextUsage | undefined {
    const total = countsOf(asRecord(tokenUsage.total))
    const last = asRecord(tokenUsage.last)
    const before = this.total
    const share = before
      ? {
          inputTokens: total.inputTokens - before.inputTokens,
          outputTokens: total.outputTokens - before.outputTokens,
          cachedTokens: total.cachedTokens - before.cachedTokens,
          cacheWriteTokens: total.cacheWriteTokens - before.cacheWriteTokens,
        }
      : countsOf(last)
    this.total = total
    this.countsWrites ||= asNumber(last.cacheWriteInputTokens) !== undefined
    const used = asNumber(last.totalTokens)
    const window = asNumber(tokenUsage.modelContextWindow)
    if (used !== undefined && window !== undefined) this.contextUsage = { used, total: window }
    if (this.state === 'idle') return this.contextUsage
    this.hasUsage ||= share.inputTokens > 0 || share.outputTokens > 0
    for (const key of Object.keys(share) as Array<keyof typeof share>) this.usage[key] += Math.max(0, share[key])
    return this.contextUsage
  }

  /** A call that did not run because nobody allowed it. */
  denied(call: DeniedCall): void {
    if (this.state !== 'idle') this.denials.push(call)
  }

  /** The end of the turn, or undefined for the end of a turn that is not ours. `limitEnd`: of a limit that is used up. */
  complete(
    turn: Json,
    limitEnd?: number,
  ): { status: TurnStatus; info: Omit<TurnCompleteInfo, 'backendSessionId'> } | undefined {
    const turnId = asText(turn.id)
    if (this.state === 'idle' || (this.turnId !== undefined && turnId !== this.turnId)) return undefined
    const status = statusOf(turn.status)
    const error = status === 'failed' ? turnErrorOf(turn.error, limitEnd) : undefined
    const isBudget = asRecord(turn.error).codexErrorInfo === 'sessionBudgetExceeded'
    this.state = 'idle'
    const info = compact({
      reason: error && isBudget ? ('budget' as const) : status,
      error,
      duration: asNumber(turn.durationMs),
      contextUsage: this.contextUsage,
      usage: this.hasUsage ? this.reported() : undefined,
      denials: this.denials.length > 0 ? this.denials : undefined,
      backendMeta: turnId === undefined ? undefined : { turnId },
    })
    return { status, info }
  }

  /** `turn/start` was refused: there never was a turn. */
  refuse(error: { code: string; message: string }): { info: Omit<TurnCompleteInfo, 'backendSessionId'> } | undefined {
    if (this.state === 'idle') return undefined
    this.state = 'idle'
    return { info: compact({ reason: 'failed' as const, error, contextUsage: this.contextUsage }) }
  }

  private reported(): TurnCompleteInfo['usage'] {
    const { cacheWriteTokens, ...usage } = this.usage
    return this.countsWrites ? { ...usage, cacheWriteTokens } : usage
  }

  private open(state: 'requested' | 'running', turnId: string | undefined): void {
    this.state = state
    this.turnId = turnId
    this.usage = { ...emptyUsage }
    this.hasUsage = false
    this.denials = []
  }
}

export function statusOf(value: unknown): TurnStatus {
  return value === 'interrupted' || value === 'failed' ? value : 'completed'
}

function countsOf(counts: Json): typeof emptyUsage {
  return {
    inputTokens: asNumber(counts.inputTokens) ?? 0,
    outputTokens: asNumber(counts.outputTokens) ?? 0,
    cachedTokens: asNumber(counts.cachedInputTokens) ?? 0,
    cacheWriteTokens: asNumber(counts.cacheWriteInputTokens) ?? 0,
  }
}

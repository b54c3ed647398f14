/**
 * Warns when a conversation comes close to its context window. Pure: adapters measure, this decides. It warns once on the
 * way up, and again only after the usage fell below the threshold (a compaction, a wider budget).
 */
import type { TokenBudgetWarning } from './adapter'

/** The part of the usable window at which the warning is due. */
export const TOKEN_BUDGET_THRESHOLD = 0.85

export interface TokenBudgetReading {
  /** Tokens that the last request held, with its answer. */
  used: number
  /** The model's context window. */
  window: number
  /** What one answer may take of that window. */
  maxOutputTokens: number
  /** Whether the last reading of this conversation was already above the threshold. */
  warned: boolean
  /** Defaults to `TOKEN_BUDGET_THRESHOLD`. */
  ratio?: number
}

/** `warning` is set exactly when it is to be given now; `warned` goes into the next reading. */
export function tokenBudgetWarning(reading: TokenBudgetReading): { warned: boolean; warning?: TokenBudgetWarning } {
  const { used, window, maxOutputTokens, warned, ratio = TOKEN_BUDGET_THRESHOLD } = reading
  const hardLimit = window - maxOutputTokens
  if (!(hardLimit > 0) || !Number.isFinite(used)) return { warned }
  const threshold = Math.floor(hardLimit * ratio)
  if (used < threshold) return { warned: false }
  if (warned) return { warned: true }
  return { warned: true, warning: { used, hardLimit, threshold, distanceToHard: hardLimit - used, maxOutputTokens } }
}

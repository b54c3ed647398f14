/** Limits of an account, which Codex tells with every turn: said when one is near or reached, once for each of its windows. */

import { asNumber, asRecord, asText, compact, type Json } from '@roundhouse/adapter-kit/read'
import { type Effect, system } from './effects'

const NEAR_PERCENT = 80
const REACHED_PERCENT = 100

export class RateLimits {
  private readonly told = new Set<string>()

  read(params: Json): Effect[] {
    const limits = asRecord(params.rateLimits)
    const reached = asText(limits.rateLimitReachedType) !== undefined
    return [asRecord(limits.primary), asRecord(limits.secondary)].flatMap((window) => this.window(window, reached))
  }

  private window(window: Json, accountReached: boolean): Effect[] {
    const usedPercent = asNumber(window.usedPercent)
    if (usedPercent === undefined || usedPercent < NEAR_PERCENT) return []
    const minutes = asNumber(window.windowDurationMins)
    const resetsAt = asNumber(window.resetsAt)
    const status = accountReached || usedPercent >= REACHED_PERCENT ? 'reached' : 'warning'
    const key = `${status} ${minutes} ${resetsAt}`
    if (this.told.has(key)) return []
    this.told.add(key)
    const limit = minutes === undefined ? undefined : lengthOf(minutes)
    const end = resetsAt === undefined ? undefined : resetsAt * 1_000
    return [system('rate_limit', compact({ status, limit, usedPercent: Math.round(usedPercent), resetsAt: end }))]
  }
}

const lengthOf = (minutes: number): string =>
  minutes >= 2_880 ? `${Math.round(minutes / 1_440)} days` : `${Math.round(minutes / 60)} hours`

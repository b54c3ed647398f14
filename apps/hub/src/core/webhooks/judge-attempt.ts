/**
 * What an attempt makes of a delivery and of its webhook (HOOK-2, HOOK-3). Pure.
 *
 *   waiting --2xx--> delivered
 *           --else--> retrying --2xx--> delivered
 *                              --410, or the day is over--> failed
 *                              --nobody wants it--> dropped
 */
import type { DeliveryAttempt, DeliveryFailure, DeliveryState, WebhookStop } from '@roundhouse/backend-types'
import type { OutboundOutcome } from '../ports/outbound/outbound'
import type { DeliveryRow, DeliveryStep, WebhookRow } from '../ports/outbound/webhook-store'
import { FAILING_DAYS_MS, TRIED_FOR_MS, waitAfter } from './retry-table'

/** How many attempts of one delivery are kept. */
const ATTEMPTS_KEPT = 32
const GONE = 410
/** Answers that may ask for time. */
const askForTime: readonly number[] = [429, 503]

export interface Attempted {
  hook: Pick<WebhookRow, 'webhookId' | 'life' | 'failingSince'>
  /** Before the attempt. */
  delivery: DeliveryRow
  outcome: OutboundOutcome
  at: number
  tookMs: number
  /** A clock that never jumps ahead. It measures how old the message is. */
  steadyNow: number
  storedAt: number
  /** 0 to 1. */
  chance: number
  /** Somebody asked for this attempt: it has no turn, and is not repeated. */
  byHand: boolean
}

export interface Verdict {
  step: DeliveryStep
  state: DeliveryState
  stop: WebhookStop | null
}

export function judgeAttempt(attempted: Attempted): Verdict {
  const { hook, delivery, outcome, at, byHand } = attempted
  const failure = failureOf(outcome)
  const attempt = attemptOf(attempted, failure)
  const tried: DeliveryRow = {
    ...delivery,
    nextAt: null,
    askedAt: null,
    attempts: delivery.attempts + 1,
    log: [...delivery.log, attempt].slice(-ATTEMPTS_KEPT),
  }
  const { webhookId, life } = hook
  const settles = byHand || delivery.busOffset === null ? {} : { cursor: delivery.busOffset }
  if (failure === null) {
    const arrived = { ...tried, state: 'delivered' as const }
    const step = { webhookId, delivery: arrived, ...settles, failingSince: null, deliveredAt: at }
    return { step: { ...step, began: { life, delivery: arrived } }, state: 'delivered', stop: null }
  }
  const isGone = outcome.kind === 'answered' && outcome.status === GONE
  if (byHand) {
    // It has arrived before, whatever happens to one more copy.
    const state = delivery.state === 'delivered' ? 'delivered' : 'failed'
    return { step: { webhookId, delivery: { ...tried, state } }, state, stop: isGone ? 'gone' : null }
  }
  const failingSince = hook.failingSince ?? at
  // Elsewhere it is sent at once. A webhook that was turned on again begins behind it, and drops it.
  const began = { life, delivery: { ...tried, state: 'retrying' as const, nextAt: at } }
  const nextAt = isGone ? null : nextOf(attempted, tried.attempts)
  if (nextAt !== null)
    return {
      step: { webhookId, delivery: { ...tried, state: 'retrying', nextAt }, failingSince, began },
      state: 'retrying',
      stop: null,
    }
  const step = { webhookId, delivery: { ...tried, state: 'failed' as const }, ...settles, failingSince, began }
  const isHopeless = at - failingSince >= FAILING_DAYS_MS
  return { step, state: 'failed', stop: isGone ? 'gone' : isHopeless ? 'failing' : null }
}

/** Null: its day is over. The last attempt is at the end of it. */
function nextOf({ outcome, at, steadyNow, storedAt, chance }: Attempted, attempts: number): number | null {
  const leftMs = storedAt + TRIED_FOR_MS - steadyNow
  if (leftMs <= 0) return null
  const asks = outcome.kind === 'answered' && askForTime.includes(outcome.status)
  return at + Math.min(leftMs, waitAfter(attempts, asks ? outcome.retryAfterMs : null, chance))
}

function attemptOf({ outcome, at, tookMs }: Attempted, failure: DeliveryFailure | null): DeliveryAttempt {
  return { at, tookMs: Math.round(tookMs), status: outcome.kind === 'answered' ? outcome.status : null, failure }
}

/** Null: it arrived. */
function failureOf(outcome: OutboundOutcome): DeliveryFailure | null {
  if (outcome.kind === 'failed') return outcome.failure
  const { status } = outcome
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : 'answer'
}

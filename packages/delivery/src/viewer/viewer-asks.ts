/** What a viewer asks for: snapshots, its room, and what is missing; and what becomes of a question that failed. */
import type { CodedError } from '@roundhouse/backend-types'
import type { Shown, ViewerEffect, ViewerEvent, ViewerStep, ViewerSync } from './viewer-state'

export type EventOf<K extends ViewerEvent['kind']> = Extract<ViewerEvent, { kind: K }>

const PAGE = 500
export const RETRY_MS = 1_000
/** A hub that was restored has a newer session again as soon as its machine has sent it. */
const LOST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 30_000

/** Asking again does not help. */
const final: ReadonlySet<string> = new Set([
  'SESSION_NOT_FOUND',
  'NOT_FOUND',
  'FORBIDDEN',
  'SESSION_DELETED',
  'AUTH_REQUIRED',
])
const gone: ReadonlySet<string> = new Set(['SESSION_NOT_FOUND', 'NOT_FOUND'])

export const stay = (sync: ViewerSync): ViewerStep => ({ sync, effects: [] })

/** The step, and then what the next one adds to it. */
export function andThen({ sync, effects }: ViewerStep, next: (sync: ViewerSync) => ViewerStep): ViewerStep {
  const more = next(sync)
  return { sync: more.sync, effects: [...effects, ...more.effects] }
}

export function fetchSnapshot(sync: ViewerSync): ViewerStep {
  const ask = sync.asks + 1
  const asking = { ...sync, asks: ask, asked: ask, filling: null }
  const { page } = asking
  return {
    sync: page ? { ...asking, phase: 'reopening', page } : { ...asking, phase: 'opening', page },
    effects: [{ do: 'fetchSnapshot', ask }],
  }
}

/** What is asked after `watch` was sent on an older connection answers nothing, so each connection asks. */
export function watch(sync: Shown): ViewerStep {
  const ask = sync.asks + 1
  const { last: afterSeq, hubEpoch } = sync.page.cursor
  return {
    sync: { ...sync, phase: 'joining', asks: ask, asked: ask },
    effects: [{ do: 'watch', ask, afterSeq, hubEpoch }],
  }
}

/** Over HTTP, until nothing is missing. One question at a time. */
export function fill(sync: ViewerSync): ViewerStep {
  const { page } = sync
  if (!page || sync.filling !== null || page.cursor.last >= page.head) return stay(sync)
  const ask = sync.asks + 1
  return {
    sync: { ...sync, asks: ask, filling: ask },
    effects: [{ do: 'fetchRange', ask, after: page.cursor.last, limit: PAGE }],
  }
}

export function fillAgain(sync: Shown, { ask }: EventOf<'due'>): ViewerStep {
  return ask === sync.filling ? fill({ ...sync, filling: null }) : stay(sync)
}

/** A refusal that stands is told. Every other failure is asked again after a pause. */
export function failed(sync: ViewerSync, event: { ask: number; error: CodedError }): ViewerStep {
  const { ask, error } = event
  if (ask !== sync.asked && ask !== sync.filling) return stay(sync)
  if (!final.has(error.code)) return { sync, effects: [{ do: 'wait', ms: RETRY_MS, next: { kind: 'due', ask } }] }
  const refuse: ViewerEffect = { do: 'refuse', error }
  const { page } = sync
  if (!gone.has(error.code)) return { sync: { ...sync, phase: 'refused', filling: null }, effects: [refuse] }
  const pause = sync.asks + 1
  const ms = Math.min(LOST_RETRY_MS * 2 ** sync.lostTries, LONGEST_RETRY_MS)
  const waiting = { ...sync, asks: pause, asked: pause, filling: null, lostTries: sync.lostTries + 1 }
  return {
    sync: page ? { ...waiting, phase: 'lost', page } : { ...waiting, phase: 'opening', page },
    effects: [refuse, { do: 'wait', ms, next: { kind: 'due', ask: pause } }],
  }
}

/**
 * The part of a log that a page holds: dense, in order, and bounded. It follows the end, or stays further up while the
 * reader is there. Events dropped on one side load again when the reader returns. Pure.
 */
import { lastSeqOf } from '@roundhouse/backend-types'
import type { SeenEvent } from '@roundhouse/hub-client'

/** Beyond this many events, half of them are dropped, on the side that the reader is not looking at. */
export const windowLimit = 6_000

export interface EventWindow {
  events: readonly SeenEvent[]
  /** There are older events than the first. */
  older: boolean
  /** The last number that this page was told of. Higher than the last event's: there are newer ones to be fetched. */
  head: number
}

export const emptyWindow: EventWindow = { events: [], older: false, head: 0 }

/** The last number that the window covers; a gap covers its range. */
export function endOf({ events }: EventWindow): number {
  const last = events.at(-1)
  return last ? lastSeqOf(last) : 0
}

export function hasNewer(window: EventWindow): boolean {
  return endOf(window) < window.head
}

/** A page from anywhere, in place of what was there. */
export function openAt(events: readonly SeenEvent[], older: boolean, head: number): EventWindow {
  const window = { events, older, head }
  return { ...window, head: Math.max(head, endOf(window)) }
}

/**
 * Events that have just happened. A window that does not reach the end, or that is full while its reader is above, only
 * learns that they exist.
 */
export function withLive(window: EventWindow, live: readonly SeenEvent[], following: boolean): EventWindow {
  const told = { ...window, head: Math.max(window.head, endOf({ ...window, events: live })) }
  if (hasNewer(window) || (!following && isTooLong(window))) return told
  return { ...told, events: [...window.events, ...live] }
}

/** The page before the first event. */
export function withOlder(window: EventWindow, page: readonly SeenEvent[], older: boolean): EventWindow {
  return { ...window, older, events: [...page, ...window.events] }
}

/** The page after the last event. */
export function withNewer(window: EventWindow, page: readonly SeenEvent[]): EventWindow {
  const from = endOf(window)
  const events = [...window.events, ...page.filter(({ seq }) => seq > from)]
  return { ...window, events, head: Math.max(window.head, endOf({ ...window, events })) }
}

export function isTooLong({ events }: EventWindow): boolean {
  return events.length >= windowLimit
}

/** Half of a window that is too long. Never in the same step as something is added: a list can follow one change at a time. */
export function cut(window: EventWindow, keep: 'oldest' | 'newest'): EventWindow {
  const half = windowLimit / 2
  return keep === 'oldest'
    ? { ...window, events: window.events.slice(0, half) }
    : { ...window, events: window.events.slice(-half), older: true }
}

/** The window holds event `seq`, or what stands for it. */
export function holds({ events }: EventWindow, seq: number): boolean {
  const first = events[0]?.seq
  return first !== undefined && seq >= first && seq <= endOf({ events, older: false, head: 0 })
}

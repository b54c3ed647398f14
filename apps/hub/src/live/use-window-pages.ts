'use client'
/** Moves the window of a log: older and newer pages at its ends, a page around any event, the last page. */
import { seen } from '@roundhouse/hub-client'
import { type RefObject, useCallback, useEffect, useRef } from 'react'
import { cut, type EventWindow, endOf, hasNewer, isTooLong, openAt, withNewer, withOlder } from './event-window'
import { useHub } from './hub-provider'

const PAGE = 300

/** Each resolves to false when it could not be done just now. */
export interface WindowPages {
  loadOlder: () => Promise<boolean>
  loadNewer: () => Promise<boolean>
  /** Puts the window around event `seq`. */
  openAround: (seq: number) => Promise<boolean>
  openEnd: () => Promise<boolean>
  /** Changes whenever the window was put elsewhere, so that nothing of the former place counts any more. */
  opened: number
}

interface WindowPagesOptions {
  sessionId: string
  window: EventWindow
  following: RefObject<boolean>
  change: (step: (window: EventWindow) => EventWindow) => void
  opened: number
  setOpened: (step: (n: number) => number) => void
}

export function useWindowPages(options: WindowPagesOptions): WindowPages {
  const { sessionId, window, following, change, opened, setOpened } = options
  const { rest } = useHub()
  const loading = useRef(false)
  const downwards = useRef(true)
  const now = useRef(window)
  now.current = window

  // Only here, since what is added and what is let go must be two steps for the list.
  useEffect(() => {
    if (!isTooLong(window)) return
    const keep = following.current || downwards.current ? 'newest' : 'oldest'
    change((w) => (isTooLong(w) ? cut(w, keep) : w))
  }, [window, change, following])

  const one = useCallback(async (load: () => Promise<void>): Promise<boolean> => {
    if (loading.current) return true
    loading.current = true
    try {
      await load()
      return true
    } catch {
      return false
    } finally {
      loading.current = false
    }
  }, [])

  const loadOlder = useCallback(
    () =>
      one(async () => {
        const first = now.current.events[0]?.seq
        if (first === undefined || !now.current.older) return
        downwards.current = false
        const page = await rest.events(sessionId, { before: first, limit: PAGE })
        change((w) => (w.events[0]?.seq === first ? withOlder(w, page.events.map(seen), page.more) : w))
      }),
    [one, rest, sessionId, change],
  )
  const loadNewer = useCallback(
    () =>
      one(async () => {
        if (!hasNewer(now.current)) return
        downwards.current = true
        const after = endOf(now.current)
        const page = await rest.events(sessionId, { after, limit: PAGE })
        change((w) => (endOf(w) === after ? withNewer(w, page.events.map(seen)) : w))
      }),
    [one, rest, sessionId, change],
  )
  const open = useCallback(
    async (seq: number | null): Promise<boolean> => {
      try {
        let page = await rest.events(sessionId, { ...(seq === null ? {} : { before: seq + PAGE / 2 }), limit: PAGE })
        const first = page.events[0]?.seq
        // A page ends early where its events are large.
        if (seq !== null && first !== undefined && first > seq) {
          page = await rest.events(sessionId, { before: seq + 1, limit: PAGE })
        }
        setOpened((n) => n + 1)
        change((w) => openAt(page.events.map(seen), page.more, Math.max(w.head, page.head)))
        return true
      } catch {
        return false
      }
    },
    [rest, sessionId, change, setOpened],
  )
  const openAround = useCallback((seq: number) => open(seq), [open])
  const openEnd = useCallback(() => open(null), [open])
  return { loadOlder, loadNewer, openAround, openEnd, opened }
}

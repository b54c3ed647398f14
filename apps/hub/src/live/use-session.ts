'use client'
/**
 * One session for a page: its view, its loaded events in order, its open blocks. Events arrive once, in order, without
 * holes (`SessionWatch`); older pages are put in front on demand. Memory is bounded: beyond `KEEP` events the oldest
 * pages are let go again and come back when the reader scrolls up.
 */
import type { ErrorBody, SessionView } from '@roundhouse/backend-types'
import type { LiveBlocks } from '@roundhouse/delivery'
import { type SeenEvent, SessionWatch } from '@roundhouse/hub-client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useHub } from './hub-provider'

const OLDER_PAGE = 300
const KEEP = 6_000

export interface SessionData {
  view: SessionView | null
  events: readonly SeenEvent[]
  /** There are older events than the first of `events`. */
  more: boolean
  blocks: LiveBlocks | null
  progress: { at: number; head: number }
  refused: ErrorBody | null
}

const nothing: SessionData = {
  view: null,
  events: [],
  more: false,
  blocks: null,
  progress: { at: 0, head: 0 },
  refused: null,
}

/** `loadOlder` resolves to false when they could not be had just now. */
export function useSession(sessionId: string): SessionData & { loadOlder: () => Promise<boolean> } {
  const hub = useHub()
  const watch = useRef<SessionWatch | null>(null)
  const loading = useRef(false)
  const [data, setData] = useState<SessionData>(nothing)

  useEffect(() => {
    const current = new SessionWatch(sessionId, hub.rest, hub.socket, {
      onReset: (snapshot, events) =>
        setData({
          view: snapshot.session,
          events,
          more: snapshot.more,
          blocks: null,
          progress: { at: snapshot.head, head: snapshot.head },
          refused: null,
        }),
      onEvents: (events) => setData((before) => append(before, events)),
      onSession: (view) => setData((before) => ({ ...before, view })),
      onBlocks: (blocks) => setData((before) => ({ ...before, blocks })),
      onProgress: (at, head) => setData((before) => ({ ...before, progress: { at, head } })),
      onRefused: (error) => setData((before) => ({ ...before, refused: error.toBody() })),
    })
    watch.current = current
    return () => {
      current.close()
      setData(nothing)
    }
  }, [hub, sessionId])

  const first = data.events[0]?.seq
  const { more } = data
  const loadOlder = useCallback(async () => {
    if (loading.current || !more || first === undefined || !watch.current) return true
    loading.current = true
    try {
      const page = await watch.current.older(first, OLDER_PAGE)
      setData((before) =>
        before.events[0]?.seq === first
          ? { ...before, events: [...page.events, ...before.events], more: page.more }
          : before,
      )
      return true
    } catch {
      return false
    } finally {
      loading.current = false
    }
  }, [first, more])

  return { ...data, loadOlder }
}

function append(before: SessionData, events: SeenEvent[]): SessionData {
  const all = [...before.events, ...events]
  if (all.length <= KEEP) return { ...before, events: all }
  return { ...before, events: all.slice(all.length - KEEP / 2), more: true }
}

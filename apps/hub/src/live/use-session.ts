'use client'
/**
 * One session for a page: its view, a window of its log, its open blocks. Events arrive once, in order, without holes
 * (`SessionWatch`); the window follows them, or stays where the reader is (`EventWindow`).
 */
import type { ErrorBody, SessionView } from '@roundhouse/backend-types'
import type { LiveBlocks } from '@roundhouse/delivery'
import { SessionWatch } from '@roundhouse/hub-client'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { type EventWindow, emptyWindow, openAt, withLive } from './event-window'
import { useHub } from './hub-provider'
import { useWindowPages, type WindowPages } from './use-window-pages'

export interface SessionData extends WindowPages {
  view: SessionView | null
  window: EventWindow
  blocks: LiveBlocks | null
  progress: { at: number; head: number }
  refused: ErrorBody | null
  /** Whether the reader is at the end. Set by the list that shows the window. */
  following: RefObject<boolean>
}

type Known = Pick<SessionData, 'view' | 'window' | 'blocks' | 'progress' | 'refused'>

const nothing: Known = { view: null, window: emptyWindow, blocks: null, progress: { at: 0, head: 0 }, refused: null }

export function useSession(sessionId: string): SessionData {
  const hub = useHub()
  const following = useRef(true)
  const epoch = useRef('')
  const [known, setKnown] = useState<Known>(nothing)
  const [opened, setOpened] = useState(0)

  useEffect(() => {
    const watch = new SessionWatch(sessionId, hub.rest, hub.socket, {
      onReset: (snapshot, events) => {
        const stay = !following.current && epoch.current === snapshot.hubEpoch
        epoch.current = snapshot.hubEpoch
        if (!stay) setOpened((n) => n + 1)
        setKnown(({ window }) => ({
          view: snapshot.session,
          window: stay ? { ...window, head: snapshot.head } : openAt(events, snapshot.more, snapshot.head),
          blocks: null,
          progress: { at: snapshot.head, head: snapshot.head },
          refused: null,
        }))
      },
      onEvents: (events) =>
        setKnown((before) => ({ ...before, window: withLive(before.window, events, following.current) })),
      onSession: (view) => setKnown((before) => ({ ...before, view })),
      onBlocks: (blocks) => setKnown((before) => ({ ...before, blocks })),
      onProgress: (at, head) => setKnown((before) => ({ ...before, progress: { at, head } })),
      onRefused: (error) => setKnown((before) => ({ ...before, refused: error.toBody() })),
    })
    return () => {
      watch.close()
      following.current = true
      epoch.current = ''
      setKnown(nothing)
    }
  }, [hub, sessionId])

  const change = useCallback(
    (step: (window: EventWindow) => EventWindow) =>
      setKnown((before) => {
        const window = step(before.window)
        return window === before.window ? before : { ...before, window }
      }),
    [],
  )
  const pages = useWindowPages({ sessionId, window: known.window, following, change, opened, setOpened })
  return { ...known, ...pages, following }
}

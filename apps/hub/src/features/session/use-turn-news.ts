'use client'
import type { SeenEvent } from '@roundhouse/hub-client'
import { useEffect, useRef } from 'react'
import { useAnnounce } from '../../ui/announcer'
import { turnNews } from './turn-news'

/** Announces news since this page opened to people who use a screen reader. */
export function useTurnNews(events: readonly SeenEvent[]): void {
  const announce = useAnnounce()
  const told = useRef<number | null>(null)
  const last = events.at(-1)?.seq
  useEffect(() => {
    if (last === undefined) return
    const from = told.current
    told.current = Math.max(from ?? 0, last)
    const news = from === null ? null : turnNews(events.filter(({ seq }) => seq > from))
    if (news) announce(news, 'polite')
  }, [events, last, announce])
}

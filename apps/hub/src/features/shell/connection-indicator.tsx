'use client'
import { clsx } from 'clsx'
import { useLinkState } from '../../live/hub-provider'
import { useNow } from '../../live/use-now'
import { ago } from '../../ui/time'

/** Live, reconnecting, or refused: always visible, never pretends. */
export function ConnectionIndicator({ compact = false }: { compact?: boolean }) {
  const link = useLinkState()
  const now = useNow()
  const live = link.state === 'live'
  const label =
    link.state === 'live'
      ? 'Live'
      : link.state === 'connecting'
        ? 'Connecting'
        : link.state === 'refused'
          ? 'Signed out'
          : `Reconnecting, ${ago(link.since, now)}`
  return (
    <output
      data-testid="connection"
      data-state={link.state}
      className={clsx('flex items-center gap-1.5 px-1 text-xs', live ? 'text-ink-3' : 'text-needs')}
    >
      <span className={clsx('size-1.5 rounded-full', live ? 'bg-done' : 'animate-pulse bg-needs')} aria-hidden />
      {compact && live ? <span className="sr-only">{label}</span> : label}
    </output>
  )
}

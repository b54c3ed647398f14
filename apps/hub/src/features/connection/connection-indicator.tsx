'use client'
import { clsx } from 'clsx'
import { useHub, useLinkState } from '../../live/hub-provider'
import { useNow } from '../../live/use-now'
import { linkWords } from './link-words'

/**
 * The state of the connection: live, reconnecting, or refused. Always visible. In a header it is a dot while it is live, and
 * on a phone, where the bar at the bottom has the words.
 */
export function ConnectionIndicator({ inHeader = false }: { inHeader?: boolean }) {
  const hub = useHub()
  const link = useLinkState()
  const now = useNow()
  const live = link.state === 'live'
  const label = linkWords(link, now)
  const onPhone = inHeader && 'max-md:hidden'
  return (
    <output
      data-testid="connection"
      data-state={link.state}
      className={clsx(
        'flex items-center gap-1.5 whitespace-nowrap px-1 text-xs tabular-nums',
        live ? 'text-ink-3' : 'text-needs',
      )}
    >
      <span
        title={label}
        className={clsx('size-1.5 shrink-0 rounded-full', live ? 'bg-done' : 'animate-pulse bg-needs')}
        aria-hidden
      />
      {link.state === 'reconnecting' ? (
        <button
          type="button"
          title="Try again now"
          onClick={() => hub.socket.retryNow()}
          className={clsx('underline decoration-dotted underline-offset-4', onPhone)}
        >
          {label}
        </button>
      ) : link.state === 'refused' ? (
        <a
          href={`/login?next=${encodeURIComponent(location.pathname)}`}
          className={clsx('underline underline-offset-4', onPhone)}
        >
          {label}
        </a>
      ) : (
        <span className={inHeader && live ? 'sr-only' : undefined}>{label}</span>
      )}
    </output>
  )
}

'use client'
import { Link2 } from 'lucide-react'
import type { MouseEvent } from 'react'
import { exactTime } from '../../../ui/text/time'
import { eventHash } from '../items/event-link'

/** The link of one event, in the margin: visible on hover and on keyboard focus; a click copies it. */
export function EventLink({ seq, at }: { seq: number; at: number }) {
  function copy(event: MouseEvent<HTMLAnchorElement>) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    history.replaceState(history.state, '', eventHash(seq))
    void navigator.clipboard?.writeText(location.href).catch(() => {})
  }
  return (
    <a
      href={eventHash(seq)}
      onClick={copy}
      aria-label={`Link to event ${seq}`}
      title={`${exactTime(at)} · copy the link to this`}
      className="-left-5 absolute top-1 hidden text-ink-3 opacity-0 hover:text-ink focus-visible:opacity-100 group-hover/item:opacity-100 md:block"
    >
      <Link2 className="size-3.5" aria-hidden />
    </a>
  )
}

'use client'
/** The card of a request: who asks for what and how long it waits, a part that scrolls, and a part that stays. */
import { type RequestView, toCodedError } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { ShieldQuestion } from 'lucide-react'
import type { ComponentType, ReactNode } from 'react'
import { useNow } from '../../../live/use-now'
import { ErrorNotice } from '../../../ui/forms/notice'
import { scrollByKey } from '../../../ui/scroll-body'
import { ago } from '../../../ui/text/time'
import type { DecisionControl } from '../decision/use-decision'

export interface RequestPromptProps {
  request: RequestView
  /** The name of its backend. */
  backend: string
  machine: string
  /** The session of the request, if the page does not show it elsewhere. */
  heading?: ReactNode
  /** Its position among several, such as `2 of 5`. */
  place?: string
  /** The machine is not connected now. */
  away?: boolean
  /** The turn that is running, if the page knows it; `null`: none is. */
  turnId?: string | null
  /** This one receives the decision keys of the page. */
  keys?: boolean
  /** It is in a list that `j` and `k` move through. */
  listed?: boolean
  className?: string
}

interface RequestFrameProps
  extends Pick<RequestPromptProps, 'request' | 'heading' | 'place' | 'away' | 'listed' | 'className'> {
  decision: DecisionControl
  /** For screen readers. */
  label: string
  /** "Claude Code asks to run a command". */
  title: ReactNode
  icon?: ComponentType<{ className?: string; 'aria-hidden'?: boolean }>
  /** Enter submits the request. Otherwise Enter opens the session of a listed request. */
  enterSends?: boolean
  /** The part that scrolls. */
  children: ReactNode
  /** The buttons that decide the request while it is open. */
  controls: ReactNode
}

export function RequestFrame(props: RequestFrameProps) {
  const { request, decision, label, title, heading, place, away = false, listed = false, className } = props
  const { icon: Icon = ShieldQuestion, enterSends = false, children, controls } = props
  const { box, armedBy, state, open, mayDecide, error } = decision
  return (
    <article
      ref={box}
      tabIndex={-1}
      aria-label={label}
      data-testid="permission-prompt"
      data-request={request.ask.requestId}
      data-lends-room={listed ? '' : undefined}
      data-focus-heir={open ? '' : undefined}
      data-list-item={listed ? '' : undefined}
      onKeyDown={(event) => {
        const { target, currentTarget, ctrlKey, metaKey, altKey } = event
        if (target !== currentTarget || ctrlKey || metaKey || altKey) return
        const session = listed && event.key === 'Enter' && !enterSends ? currentTarget.querySelector('header a') : null
        if (session instanceof HTMLElement) {
          event.preventDefault()
          session.click()
        } else if (scrollByKey(currentTarget, event)) event.preventDefault()
      }}
      className={clsx(
        'flex flex-col overflow-y-auto rounded-lg border border-needs-line bg-surface shadow-sm',
        className,
      )}
    >
      <header className="flex items-start gap-2 bg-needs-soft px-3 py-2 text-sm">
        <Icon className="mt-0.5 size-4 shrink-0 text-needs" aria-hidden />
        <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">
          {heading ? <>{heading} · </> : null}
          <span className={heading ? undefined : 'font-medium'}>{title}</span>
        </p>
        <span className="flex shrink-0 gap-2 text-ink-2 text-xs leading-5 tabular-nums">
          {place ? <span>{place}</span> : null}
          <Waited since={request.ask.askedAt} />
        </span>
      </header>
      {children}
      <footer ref={armedBy} className="shrink-0 space-y-2 border-line border-t px-3 py-2.5">
        {state.kind === 'open' ? (
          mayDecide ? (
            controls
          ) : (
            <p className="text-ink-2 text-sm">Waiting for someone who can decide. You can only read.</p>
          )
        ) : (
          <p className="text-ink-2 text-sm" data-testid="prompt-state" data-state={state.kind}>
            {state.text}
          </p>
        )}
        {away && open ? (
          <p className="text-needs text-xs">
            The machine is not connected. Your decision is delivered when it reconnects.
          </p>
        ) : null}
        {error ? (
          <ErrorNotice
            error={toCodedError(error).toBody()}
            next={open ? 'If it is still waiting, decide again.' : undefined}
          />
        ) : null}
      </footer>
    </article>
  )
}

function Waited({ since }: { since: number }) {
  const now = useNow()
  const waited = now === 0 ? '' : ago(since, now)
  return <span>{waited === '' || waited === 'now' ? 'just now' : `waiting ${waited}`}</span>
}

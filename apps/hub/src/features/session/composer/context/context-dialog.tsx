'use client'
import type { SessionView } from '@roundhouse/backend-types'
import { isSessionEvent, type SeenEvent, seen } from '@roundhouse/hub-client'
import { useQuery } from '@tanstack/react-query'
import { useHub } from '../../../../live/hub-provider'
import { Dialog } from '../../../../ui/overlays/dialog'
import { PlainText } from '../../../../ui/text/plain-text'
import { dayTime } from '../../../../ui/text/time'
import { type ContextAccount, contextAccount, distance, tokens } from './context-account'
import { RoleNotesList } from './role-notes-list'

export interface ContextDialogProps {
  view: SessionView
  onClose: () => void
}

/** So many of the latest events are searched for steps and notes. */
const LOOKED_AT = 1_000

/** How full the context is, how far its limit is, what made room, and the notes of the role. */
export function ContextDialog({ view, onClose }: ContextDialogProps) {
  const events = useLatestEvents(view)
  const account = contextAccount(
    view,
    events.flatMap(({ seq, at, event }) => (event && isSessionEvent(event) ? [{ seq, at, event }] : [])),
  )
  return (
    <Dialog open onOpenChange={onClose} title="Context">
      <div className="space-y-5 text-sm" data-testid="context">
        {account.total === 0 ? (
          <p className="text-ink-3">The program has not said how full its context is.</p>
        ) : (
          <Budget account={account} />
        )}
        {account.steps.length === 0 ? null : (
          <section>
            <h3 className="mb-1 font-semibold">Steps</h3>
            <ul className="max-h-48 space-y-1 overflow-y-auto">
              {account.steps.map(({ key, at, text }) => (
                <li key={key} className="flex items-baseline justify-between gap-4">
                  <span>{text}</span>
                  <time className="shrink-0 text-ink-3 text-xs tabular-nums" dateTime={new Date(at).toISOString()}>
                    {dayTime(at)}
                  </time>
                </li>
              ))}
            </ul>
          </section>
        )}
        {view.settings.roleId === undefined ? null : (
          <section>
            <h3 className="mb-1 font-semibold">
              Notes of the role <PlainText>{view.settings.roleId}</PlainText>
            </h3>
            {view.settings.useBrainCore === false ? (
              <p className="text-ink-3">This session does not use them.</p>
            ) : (
              <RoleNotesList data={latestNotes(events)} />
            )}
          </section>
        )}
      </div>
    </Dialog>
  )
}

function Budget({ account: { used, total, answer, limit, left } }: { account: ContextAccount }) {
  const whole = limit ?? total
  const share = Math.min(100, Math.round((used / whole) * 100))
  const rows: Array<[label: string, value: string]> = [
    ['Used', tokens(used)],
    ...(limit === undefined ? [] : [['Limit', tokens(limit)] as [string, string]]),
    ...(left === undefined ? [] : [['Distance', distance(left)] as [string, string]]),
    ['Window', tokens(total)],
    ...(answer === undefined ? [] : [['Answer limit', tokens(answer)] as [string, string]]),
  ]
  return (
    <section className="space-y-3">
      <svg viewBox="0 0 100 2" preserveAspectRatio="none" className="block h-2 w-full rounded-full" aria-hidden="true">
        <rect width="100" height="2" className="fill-sunken" />
        <rect width={share} height="2" className={share > 85 ? 'fill-needs' : 'fill-accent'} />
      </svg>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 tabular-nums">
        {rows.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-ink-3">{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {limit === undefined ? null : (
        <p className="text-ink-3 text-xs">The limit is the window less the answer limit.</p>
      )}
    </section>
  )
}

function useLatestEvents({ sessionId, head }: SessionView): SeenEvent[] {
  const hub = useHub()
  const { data } = useQuery({
    queryKey: ['context', sessionId, head],
    queryFn: async () => {
      const { events } = await hub.rest.events(sessionId, { before: head + 1, limit: LOOKED_AT })
      return events.map(seen)
    },
    placeholderData: (before) => before,
    retry: false,
  })
  return data ?? []
}

function latestNotes(events: readonly SeenEvent[]): unknown {
  const found = events.findLast(({ event }) => event?.kind === 'system' && event.subtype === 'role_notes')?.event
  return found?.kind === 'system' ? found.data : undefined
}

'use client'
import type { Inbox } from '@roundhouse/backend-types'
import Link from 'next/link'
import { useRef, useState } from 'react'
import { useBackendNames } from '../../live/backend-names'
import { useInbox } from '../../live/inbox-provider'
import { useMachineNames } from '../../live/machine-names'
import { Loading } from '../../ui/forms/notice'
import { late } from '../../ui/overlays/late'
import { Page, Section } from '../../ui/page'
import { PlainText } from '../../ui/text/plain-text'
import { GoneNotices } from '../permissions/gone/gone-notices'
import { RequestPrompt } from '../permissions/request-prompt'
import { NewSessionButton } from '../sessions/new-session/new-session'
import { SessionList } from '../sessions/session-row'

const OpenAsks = late(() => import('../fleet/open-asks').then((module) => module.OpenAsks))
const Welcome = late(() => import('./welcome').then((module) => module.Welcome))

/** Shows who needs the person, what is running, and what happened recently, in that order. */
export function InboxPage() {
  const inbox = useInbox()
  // What became of the last ask is shown until the person leaves the page.
  const asked = useRef(false)
  if (inbox && inbox.asks.length > 0) asked.current = true
  return (
    <Page title="Inbox" actions={<NewSessionButton />}>
      {inbox === null ? (
        <Loading>Loading the inbox…</Loading>
      ) : inbox.requests.length + inbox.running.length + inbox.recent.length === 0 && !asked.current ? (
        <Welcome />
      ) : (
        <Contents inbox={inbox} asked={asked.current} />
      )}
    </Page>
  )
}

function Contents({ inbox, asked }: { inbox: Inbox; asked: boolean }) {
  const needing = new Set(inbox.requests.map((request) => request.sessionId))
  const running = inbox.running.filter((session) => !needing.has(session.sessionId))
  return (
    <>
      <GoneNotices requests={inbox.requests} />
      {inbox.requests.length > 0 ? (
        <Section title="Needs you" count={inbox.requests.length}>
          <Requests inbox={inbox} />
          <Cut cut={inbox.cut ?? []} />
        </Section>
      ) : inbox.asks.length > 0 ? null : (
        <p className="mb-6 text-ink-2">Nothing needs you.</p>
      )}
      {asked ? <OpenAsks asks={inbox.asks} /> : null}
      {running.length > 0 ? (
        <Section title="Running" count={running.length}>
          <SessionList sessions={running} />
        </Section>
      ) : null}
      {inbox.recent.length > 0 ? (
        <Section title="Recent">
          <SessionList sessions={inbox.recent} />
        </Section>
      ) : null}
    </>
  )
}

/** The decision keys belong to the focused request, or to the first one while none has the focus. */
function Requests({ inbox: { requests, running, recent } }: { inbox: Inbox }) {
  const [focused, setFocused] = useState<string | null>(null)
  const machines = useMachineNames()
  const nameBackend = useBackendNames()
  const agentOf = new Map([...running, ...recent].map(({ sessionId, agentId }) => [sessionId, agentId]))
  const undecided = requests.filter((request) => request.decision === null)
  const active = undecided.find((request) => request.ask.requestId === focused) ?? undecided[0]
  const away = new Set([...running, ...recent].flatMap((s) => (s.unreachableSince === undefined ? [] : [s.sessionId])))
  return (
    <ul className="space-y-3 outline-none" data-focus-group tabIndex={-1}>
      {requests.map((request) => (
        <li key={request.ask.requestId} onFocus={() => setFocused(request.ask.requestId)}>
          <RequestPrompt
            request={request}
            backend={nameBackend(request.backend, agentOf.get(request.sessionId))}
            machine={machines.get(agentOf.get(request.sessionId) ?? '') ?? request.agentName}
            away={away.has(request.sessionId)}
            keys={request === active}
            listed
            heading={
              <Link href={`/sessions/${request.sessionId}`} className="font-medium underline-offset-4 hover:underline">
                <PlainText>{request.title}</PlainText>
              </Link>
            }
            className="max-h-[calc(80dvh+var(--lent-room,0px))]"
          />
        </li>
      ))}
    </ul>
  )
}

/** However many requests one machine makes, the others stay in view. */
function Cut({ cut }: { cut: NonNullable<Inbox['cut']> }) {
  const machines = useMachineNames()
  return cut.map(({ agentId, agentName, count }) => (
    <p key={agentId} className="mt-3 text-ink-2 text-sm">
      <Link href={`/sessions?agentId=${encodeURIComponent(agentId)}`} className="underline-offset-4 hover:underline">
        {count} more {count === 1 ? 'question' : 'questions'} of{' '}
        <PlainText>{machines.get(agentId) ?? agentName}</PlainText>
      </Link>
    </p>
  ))
}

'use client'
import Link from 'next/link'
import { useInbox } from '../../live/inbox-provider'
import { EmptyState } from '../../ui/notice'
import { Page, Section } from '../../ui/page'
import { AddAgentButton } from '../agents/add-agent'
import { PermissionPrompt } from '../permissions/permission-prompt'
import { NewSessionButton } from '../sessions/new-session'
import { SessionList } from '../sessions/session-row'

/** Does anyone need me, who is working, what happened while I was away: in that order. */
export function InboxPage() {
  const inbox = useInbox()
  const asking = new Set(inbox?.requests.map((request) => request.sessionId))
  const running = inbox?.running.filter((session) => !asking.has(session.sessionId)) ?? []
  return (
    <Page title="Inbox" actions={<NewSessionButton />}>
      {inbox === null ? null : inbox.requests.length + inbox.running.length + inbox.recent.length === 0 ? (
        <Welcome />
      ) : (
        <>
          {inbox.requests.length > 0 ? (
            <Section title="Needs you" count={inbox.requests.length}>
              <ul className="space-y-3">
                {inbox.requests.map((request) => (
                  <li key={request.ask.requestId}>
                    <PermissionPrompt
                      request={request}
                      backend={request.backend}
                      heading={
                        <span>
                          <Link
                            href={`/sessions/${request.sessionId}`}
                            className="font-medium underline-offset-4 hover:underline"
                          >
                            {request.title}
                          </Link>
                          <span className="text-ink-3"> on {request.agentName}</span>
                        </span>
                      }
                    />
                  </li>
                ))}
              </ul>
            </Section>
          ) : (
            <p className="mb-6 text-ink-2">Nothing needs you.</p>
          )}
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
      )}
    </Page>
  )
}

function Welcome() {
  return (
    <EmptyState
      title="Nothing has happened yet"
      action={
        <>
          <NewSessionButton />
          <AddAgentButton look="soft" />
        </>
      }
    >
      Start a session on a machine that is connected, or add another machine. Whatever needs an answer from you appears
      here.
    </EmptyState>
  )
}

'use client'
import { useEffect } from 'react'
import { useSession } from '../../live/use-session'
import { EmptyState } from '../../ui/notice'
import { PermissionPrompt } from '../permissions/permission-prompt'
import { Transcript } from '../transcript/transcript'
import { Composer } from './composer'
import { SessionHeader } from './session-header'
import { SessionNotice } from './session-notice'

/** One session: its state, its transcript, what it asks, and the place to talk to it. */
export function SessionPage({ sessionId }: { sessionId: string }) {
  const { view, events, blocks, more, progress, refused, loadOlder } = useSession(sessionId)
  const title = view?.title
  useEffect(() => {
    if (title) document.title = `${title} · Roundhouse`
  }, [title])

  if (refused) {
    return (
      <main className="p-6">
        <EmptyState title="This session cannot be shown">
          {refused.message} <code className="text-ink-3 text-xs">{refused.code}</code>
        </EmptyState>
      </main>
    )
  }
  if (!view) return <main className="p-6 text-ink-3">Opening…</main>

  const open = view.requests.filter((request) => request.outcome === 'open')
  return (
    <main
      className="flex min-h-0 flex-1 flex-col"
      data-testid="session"
      data-status={view.status.status}
      data-head={view.head}
    >
      <SessionHeader view={view} progress={progress} />
      <Transcript events={events} blocks={blocks} more={more} loadOlder={loadOlder} />
      <div className="shrink-0 border-line border-t bg-surface pb-1">
        <div className="mx-auto max-h-[60dvh] w-full max-w-3xl space-y-2 overflow-y-auto px-3 pt-2 md:px-6">
          {open.length > 1 ? <p className="text-needs text-xs">{open.length} questions wait for you.</p> : null}
          {open.map((request, index) => (
            <PermissionPrompt
              key={request.ask.requestId}
              request={request}
              backend={view.settings.backend}
              keys={index === 0}
            />
          ))}
          <SessionNotice view={view} />
        </div>
        <Composer view={view} />
      </div>
    </main>
  )
}

'use client'
import type { SessionView } from '@roundhouse/backend-types'
import { useCallback, useMemo, useState } from 'react'
import { endOf } from '../../live/event-window'
import { useMay } from '../../live/use-me'
import { useSession } from '../../live/use-session'
import { late } from '../../ui/overlays/late'
import { useTitle } from '../../ui/use-title'
import { unaskedNotice } from '../sessions/new-session/unasked-notice'
import { ActiveGrantsProvider } from '../transcript/cards/revoke-allowed'
import { RunningOnProvider } from '../transcript/cards/runs-on'
import { SessionFolders } from '../transcript/cards/session-folders'
import { ShowQuestionProvider } from '../transcript/cards/show-question'
import { RetryProvider } from '../transcript/cards/try-again'
import { Transcript, type TranscriptProps } from '../transcript/transcript'
import { Composer } from './composer/composer'
import { promptHistory } from './composer/prompt-history'
import { useBackend } from './composer/use-backend'
import { SessionHeader } from './header/session-header'
import { SessionNotices } from './notices/session-notice'
import { useRetry } from './notices/use-retry'
import { PendingPrompts } from './queue/pending-prompts'
import { useActiveGrants } from './use-active-grants'
import { useRunningOn } from './use-running-on'
import { useTurnNews } from './use-turn-news'

const Refused = late(() => import('./notices/refused').then((module) => module.Refused))

/** One session: its state, its transcript, its requests, and the composer. */
export function SessionPage({ sessionId }: { sessionId: string }) {
  const session = useSession(sessionId)
  const { view, window, refused } = session
  const mayPrompt = useMay('session.prompt', true)
  const [realWorkDir, workDir] = [view?.realWorkDir, view?.settings.workDir]
  useTitle(view?.title, 'Session')
  useTurnNews(window.events)
  const grants = useActiveGrants(view)
  const [chosen, setChosen] = useState<string | null>(null)
  /** How many prompts were sent on this page. */
  const [sent, setSent] = useState(0)
  const history = useMemo(() => promptHistory(window.events), [window.events])
  const showQuestion = useCallback(
    (callId: string) => {
      const asked = view?.requests.find((request) => request.ask.callId === callId && request.outcome === 'open')
      if (!asked) return
      setChosen(asked.ask.requestId)
      document.querySelector<HTMLElement>('[data-testid=permission-prompt]')?.focus()
    },
    [view],
  )

  const folders = useMemo(() => [realWorkDir, workDir].filter((one) => one !== undefined), [realWorkDir, workDir])
  const retry = useRetry(view, window.events)
  const runningOn = useRunningOn(view)
  if (refused) return <Refused {...refused} />
  if (!view) return <main className="p-6 text-ink-3">Opening…</main>
  return (
    <main
      className="flex min-h-0 flex-1 flex-col"
      data-lends-room
      data-testid="session"
      data-status={view.status.status}
      data-head={view.head}
    >
      <SessionHeader view={view} progress={session.progress} events={window.events} blocks={session.blocks} />
      <SessionFolders value={folders}>
        <ShowQuestionProvider value={showQuestion}>
          <ActiveGrantsProvider value={grants}>
            <RetryProvider value={retry}>
              <RunningOnProvider value={runningOn}>
                <TranscriptOrInvitation sessionId={sessionId} session={session} sent={sent} />
              </RunningOnProvider>
            </RetryProvider>
          </ActiveGrantsProvider>
        </ShowQuestionProvider>
      </SessionFolders>
      <div
        data-focus-group
        tabIndex={-1}
        className="flex min-h-0 flex-col overflow-y-auto outline-none [scrollbar-gutter:stable]"
      >
        <div className="mx-auto flex min-h-0 w-full max-w-3xl flex-col gap-2 px-4 pt-1 pb-3 md:px-6">
          <PendingPrompts view={view} chosen={chosen} onChoose={setChosen} />
          <SessionNotices view={view} canRetry={retry !== null} />
          {mayPrompt ? (
            <Composer view={view} history={history} onSend={() => setSent((count) => count + 1)} />
          ) : view.status.status === 'ended' ? null : (
            <p className="py-1 text-center text-ink-3 text-sm">You can only read this session.</p>
          )}
        </div>
      </div>
    </main>
  )
}

/** Before the first prompt. The header keeps a shorter one. */
function UnaskedNotice({ view }: { view: SessionView }) {
  const unasked = unaskedNotice(useBackend(view))
  return unasked === undefined ? null : <p className="mt-3 max-w-prose text-balance text-needs text-sm">{unasked}</p>
}

function TranscriptOrInvitation({ sessionId, session, sent }: TranscriptProps) {
  const { view, window } = session
  const nothingSaid = !window.events.some(({ kind }) => kind !== 'session_created' && kind !== 'session_started')
  const waits = view?.queue.length || view?.commands.length || view?.turnId
  if (nothingSaid && !waits && !window.older && endOf(window) === window.head && view?.status.status === 'idle') {
    return (
      <div className="session-transcript grid place-items-center p-6 text-center">
        <div>
          <h2 className="font-semibold">Ready</h2>
          <p className="mt-1 text-ink-2 text-sm">Write a prompt to start.</p>
          <UnaskedNotice view={view} />
        </div>
      </div>
    )
  }
  return <Transcript sessionId={sessionId} session={session} sent={sent} />
}

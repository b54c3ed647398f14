'use client'
import { type SessionView, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { useHub, useLinkState } from '../../live/hub-provider'
import { useAgents } from '../../live/use-agents'
import { useMay } from '../../live/use-me'
import { useNow } from '../../live/use-now'
import { Button } from '../../ui/button'
import { ErrorNotice } from '../../ui/notice'
import { PlainText } from '../../ui/plain-text'
import { describeStatus } from '../sessions/describe-status'
import { whyNoProgram } from '../sessions/machine-choice'
import { NewSessionButton } from '../sessions/new-session'

/** Says what stopped the session, or what this page cannot know just now, and offers the next step. */
export function SessionNotices({ view }: { view: SessionView }) {
  const link = useLinkState()
  const { agents } = useAgents()
  const machine = agents.find(({ agentId }) => agentId === view.agentId)
  const refusal = view.status.status === 'ended' ? undefined : machine && whyNoProgram(machine, view.settings.backend)
  return (
    <>
      {link.state === 'reconnecting' ? (
        <Notice tone="quiet" testId="link-notice">
          This page is not connected to the hub and may be out of date. Sessions keep running; the page catches up when
          it reconnects.
        </Notice>
      ) : null}
      {view.blocked ? (
        <Notice tone="failed">
          The hub could not read what {view.agentName} sent for this session, and accepts no more of it. Update
          roundhouse-agent on that machine and restart it.
        </Notice>
      ) : null}
      {view.damaged ? (
        <Notice tone="failed" testId="damaged-notice">
          The hub’s file is damaged where parts of this session are stored. What can be read is here; a backup of the
          hub may have the rest.
        </Notice>
      ) : null}
      {refusal === undefined ? null : (
        <Notice tone="quiet" testId="refusal-notice">
          <PlainText>{refusal}</PlainText>
        </Notice>
      )}
      <StatusNotice view={view} mayResume={refusal === undefined} />
    </>
  )
}

function StatusNotice({ view, mayResume }: { view: SessionView; mayResume: boolean }) {
  const hub = useHub()
  const now = useNow()
  const { status } = view
  const mayControl = useMay('session.control', true)
  const words = describeStatus(view, now)
  const resume = useMutation({
    mutationFn: (fresh: boolean) => hub.rest.resume(view.sessionId, fresh ? { fresh } : {}),
  })
  if (!words.next) return null
  const lost = status.status === 'resumable' && status.error?.code === 'RESUME_UNAVAILABLE'
  const action =
    status.status === 'resumable' && status.why !== 'idle' && mayControl && mayResume ? (
      <Button size="sm" disabled={resume.isPending} onClick={() => resume.mutate(lost)}>
        {resume.isPending ? 'Resuming…' : lost ? 'Start fresh' : 'Resume'}
      </Button>
    ) : status.status === 'ended' ? (
      <NewSessionButton size="sm" label="New session like this" like={likeThis(view)} />
    ) : null
  return (
    <>
      <Notice tone={words.tone === 'failed' ? 'failed' : 'quiet'} action={action} testId="session-notice">
        <PlainText>{words.next}</PlainText>
      </Notice>
      {resume.error ? <ErrorNotice error={toCodedError(resume.error).toBody()} /> : null}
    </>
  )
}

/** The same settings, and the first prompt where it never ran. */
function likeThis({ agentId, settings, commands }: SessionView) {
  const unsent = commands.find((command) => command.kind === 'session.create')?.text
  return { agentId, settings, ...(unsent === undefined ? {} : { prompt: unsent }) }
}

interface NoticeProps {
  tone: 'quiet' | 'failed'
  action?: ReactNode
  testId?: string
  children: ReactNode
}

function Notice({ tone, action, testId, children }: NoticeProps) {
  return (
    <div
      data-testid={testId}
      className={clsx(
        'flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border px-3 py-2 text-sm',
        tone === 'failed' ? 'border-failed-line bg-failed-soft' : 'border-line bg-sunken',
      )}
    >
      <p className="min-w-0 flex-1 basis-64 text-ink-2 [overflow-wrap:anywhere]">{children}</p>
      {action}
    </div>
  )
}

'use client'
import { type SessionView, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { useHub } from '../../live/hub-provider'
import { useNow } from '../../live/use-now'
import { Button } from '../../ui/button'
import { ErrorNotice } from '../../ui/notice'
import { describeStatus } from '../sessions/describe-status'

/** Says what stopped the session and offers the next step. Nothing while all is well. */
export function SessionNotice({ view }: { view: SessionView }) {
  const hub = useHub()
  const now = useNow()
  const words = describeStatus(view.status, view.unreachableSince, now)
  const resume = useMutation({
    mutationFn: (fresh: boolean) => hub.rest.resume(view.sessionId, fresh ? { fresh } : {}),
  })
  if (!words.next) return null
  const resumable = view.status.status === 'resumable' && view.status.why !== 'idle'
  const lost = view.status.status === 'resumable' && view.status.error?.code === 'RESUME_UNAVAILABLE'
  return (
    <div
      data-testid="session-notice"
      className={clsx(
        'flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border border-line px-3 py-2 text-sm',
        words.tone === 'failed' ? 'bg-failed-soft' : 'bg-sunken',
      )}
    >
      <p className="min-w-0 flex-1 basis-64 text-ink-2">{words.next}</p>
      {resumable ? (
        <Button size="sm" disabled={resume.isPending} onClick={() => resume.mutate(lost)}>
          {lost ? 'Start afresh' : 'Resume'}
        </Button>
      ) : null}
      {resume.error ? <ErrorNotice error={toCodedError(resume.error).toBody()} /> : null}
    </div>
  )
}

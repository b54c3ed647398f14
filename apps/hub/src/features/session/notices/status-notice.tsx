'use client'
import { type SessionView, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { useHub } from '../../../live/hub-provider'
import { useMay } from '../../../live/use-me'
import { useNow } from '../../../live/use-now'
import { Button } from '../../../ui/forms/button'
import { ErrorNotice } from '../../../ui/forms/notice'
import { commandIn } from '../../../ui/text/command-in'
import { PlainText } from '../../../ui/text/plain-text'
import { describeStatus } from '../../sessions/describe-status'
import { likeThis, unrunPrompt } from '../../sessions/new-session/like-session'
import { NewSessionButton } from '../../sessions/new-session/new-session'
import { adviceOn } from '../../sessions/status-advice'
import { useWholeText } from '../queue/use-whole-text'
import { NoticeLine } from './notice-line'
import { UnrunPrompt } from './unrun-prompt'

interface StatusNoticeProps {
  view: SessionView
  mayResume: boolean
  /** It may be the hub that was gone, not the machine. */
  hubAway: boolean
}

/** Says why the session stopped, and the next step. */
export function StatusNotice({ view, mayResume, hubAway }: StatusNoticeProps) {
  const hub = useHub()
  const now = useNow()
  const { status } = view
  const mayControl = useMay('session.control', true)
  const hasResume = status.status === 'resumable' && status.why !== 'idle' && mayControl && mayResume
  const advice = adviceOn({ ...view, hubAway }, hasResume)
  const resume = useMutation({
    mutationFn: (fresh: boolean) => hub.rest.resume(view.sessionId, fresh ? { fresh } : {}),
  })
  const unrun = unrunPrompt(view)
  const { text } = useWholeText(view.sessionId, unrun, status.status === 'ended')
  if (advice === undefined) return null
  const lost = status.status === 'resumable' && status.error?.code === 'RESUME_UNAVAILABLE'
  const action = hasResume ? (
    <Button size="sm" disabled={resume.isPending} onClick={() => resume.mutate(lost)}>
      {resume.isPending ? 'Resuming…' : lost ? 'Start fresh' : 'Resume'}
    </Button>
  ) : status.status === 'ended' ? (
    <NewSessionButton
      size="sm"
      label="New session like this"
      disabled={unrun !== undefined && text === undefined}
      like={likeThis(view, text)}
    />
  ) : null
  return (
    <>
      <NoticeLine
        tone={describeStatus(view, now).tone === 'failed' ? 'failed' : 'quiet'}
        action={action}
        command={'error' in status && status.error ? commandIn(status.error.message).command : undefined}
        testId="session-notice"
      >
        <PlainText>{advice}</PlainText>
      </NoticeLine>
      {status.status === 'ended' && unrun?.text ? <UnrunPrompt text={text ?? `${unrun.text}…`} /> : null}
      {resume.error ? <ErrorNotice error={toCodedError(resume.error).toBody()} /> : null}
    </>
  )
}

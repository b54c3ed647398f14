'use client'
import type { SessionView } from '@roundhouse/backend-types'
import { useHubAway, useLinkState } from '../../../live/hub-provider'
import { useAgents } from '../../../live/use-agents'
import { late } from '../../../ui/overlays/late'
import { PlainText } from '../../../ui/text/plain-text'
import { whyNoProgram } from '../../sessions/new-session/why-no-program'
import { NoticeLine } from './notice-line'

const StoppedNotices = late(() => import('./stopped-notices').then((module) => module.StoppedNotices))
const StatusNotice = late(() => import('./status-notice').then((module) => module.StatusNotice))

interface SessionNoticesProps {
  view: SessionView
  /** The transcript offers to send the failed prompt again, which resumes as well. */
  canRetry: boolean
}

/** Says what stopped the session, or what this page cannot know just now, and offers the next step. */
export function SessionNotices({ view, canRetry }: SessionNoticesProps) {
  const link = useLinkState()
  const hubAway = useHubAway(view.unreachableSince !== undefined)
  const { agents } = useAgents()
  const machine = agents.find(({ agentId }) => agentId === view.agentId)
  const refusal = view.status.status === 'ended' ? undefined : machine && whyNoProgram(machine, view.settings.backend)
  // Everything else that this page could say is as old as its connection.
  if (link.state === 'reconnecting') {
    return (
      <NoticeLine tone="quiet" testId="link-notice">
        This page cannot reach the hub, so it may be out of date. When it reconnects, it shows what happened meanwhile.
      </NoticeLine>
    )
  }
  return (
    <>
      {isStopped(view) ? <StoppedNotices view={view} /> : null}
      {refusal === undefined ? null : (
        <NoticeLine tone="quiet" testId="refusal-notice">
          <PlainText>{refusal}</PlainText>
        </NoticeLine>
      )}
      {isAtWork(view) || (canRetry && isPlainlyResumable(view)) ? null : (
        <StatusNotice view={view} mayResume={refusal === undefined} hubAway={hubAway} />
      )}
    </>
  )
}

const isStopped = ({ blocked, damaged, settings, treeStopped }: SessionView) =>
  blocked || damaged || treeStopped !== undefined || settings.backend === ''

/** Such a session needs no notice. */
const isAtWork = ({ status, unreachableSince }: SessionView) =>
  unreachableSince === undefined &&
  (status.status === 'starting'
    ? status.waitsFor === undefined
    : ['running', 'needs_you', 'idle'].includes(status.status))

/** The only news is the end of the program, which the transcript shows. */
function isPlainlyResumable({ status }: SessionView): boolean {
  if (status.status !== 'resumable' || status.resumes) return false
  return status.error === undefined || status.error.code === 'BACKEND_CRASHED'
}

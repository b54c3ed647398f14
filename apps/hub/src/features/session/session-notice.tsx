'use client'
import type { SessionView } from '@roundhouse/backend-types'
import { useLinkState } from '../../live/hub-provider'
import { useAgents } from '../../live/use-agents'
import { late } from '../../ui/late'
import { PlainText } from '../../ui/plain-text'
import { whyNoProgram } from '../sessions/machine-choice'
import { Notice } from './notice-line'

/** A session at work needs none. */
const StatusNotice = late(() => import('./status-notice').then((module) => module.StatusNotice))

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
      {isAtWork(view) ? null : <StatusNotice view={view} mayResume={refusal === undefined} />}
    </>
  )
}

const isAtWork = ({ status, unreachableSince }: SessionView) =>
  unreachableSince === undefined && ['starting', 'running', 'needs_you', 'idle'].includes(status.status)

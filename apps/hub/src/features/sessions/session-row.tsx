'use client'
import type { SessionSummary } from '@roundhouse/backend-types'
import Link from 'next/link'
import { useBackendNames } from '../../live/backend-names'
import { useHubAway } from '../../live/hub-provider'
import { useMachineName } from '../../live/machine-names'
import { useNow } from '../../live/use-now'
import { StatusBadge } from '../../ui/status-badge'
import { dollars } from '../../ui/text/dollars'
import { plainLine } from '../../ui/text/plain-line'
import { PlainText } from '../../ui/text/plain-text'
import { shortCount } from '../../ui/text/short-count'
import { ago } from '../../ui/text/time'
import { describeStatus } from './describe-status'
import { folderName } from './folder-name'
import { RunMark } from './run-mark'

/** One session in a list: its name, its place, its last line, its state. */
export function SessionRow({ session }: { session: SessionSummary }) {
  const now = useNow()
  const machine = useMachineName(session.agentId, session.agentName)
  const nameBackend = useBackendNames()
  const hubAway = useHubAway(session.unreachableSince !== undefined)
  const status = describeStatus({ ...session, hubAway }, now)
  const asks = session.pendingRequests > 1 ? `${status.label} · ${session.pendingRequests}` : status.label
  const usage = session.contextUsage
  return (
    <li className="[contain-intrinsic-size:auto_5rem] [content-visibility:auto]">
      <Link
        href={`/sessions/${session.sessionId}`}
        data-list-item
        className="grid grid-cols-[1fr_auto] gap-x-3 gap-y-0.5 px-3 py-2.5 transition-colors duration-150 hover:bg-sunken focus-visible:outline-offset-[-2px]"
      >
        <span className="truncate font-medium">
          <PlainText>{session.title}</PlainText>
        </span>
        <StatusBadge tone={status.tone} label={asks} className="justify-self-end" />
        <span className="truncate text-ink-2 text-sm">
          {session.lastLine ? (
            <PlainText>{plainLine(session.lastLine)}</PlainText>
          ) : (
            <span className="text-ink-3">No messages yet</span>
          )}
        </span>
        <time
          dateTime={new Date(session.updatedAt).toISOString()}
          title={new Date(session.updatedAt).toLocaleString()}
          className="text-right text-ink-3 text-xs tabular-nums leading-5"
        >
          {now === 0 ? '' : ago(session.updatedAt, now)}
        </time>
        <span className="col-span-2 flex min-w-0 gap-2 text-ink-3 text-xs">
          <RunMark run={session.run} />
          <span className="shrink-0">{nameBackend(session.backend, session.agentId)}</span>
          <span aria-hidden>·</span>
          <span className="max-w-[30%] shrink-0 truncate">{machine}</span>
          <span aria-hidden>·</span>
          <span className="truncate font-mono">{folderName(session.workDir)}</span>
          <span className="ml-auto flex shrink-0 gap-2 tabular-nums">
            {session.backgroundTasks ? (
              <span title="Helpers and commands that run in the background">
                {session.backgroundTasks} in background
              </span>
            ) : null}
            {usage && usage.used >= usage.total / 100 ? (
              <span title={`Context: ${shortCount(usage.used)} of ${shortCount(usage.total)} tokens`}>
                Context {Math.round((100 * usage.used) / usage.total)}%
              </span>
            ) : null}
            {session.cost > 0 ? <span title="Cost so far">{dollars(session.cost)}</span> : null}
          </span>
        </span>
      </Link>
    </li>
  )
}

export function SessionList({ sessions }: { sessions: readonly SessionSummary[] }) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface">
      {sessions.map((session) => (
        <SessionRow key={session.sessionId} session={session} />
      ))}
    </ul>
  )
}

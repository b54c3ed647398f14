'use client'
import type { SessionSummary } from '@roundhouse/backend-types'
import Link from 'next/link'
import { useNow } from '../../live/use-now'
import { PlainText } from '../../ui/plain-text'
import { StatusBadge } from '../../ui/status-badge'
import { ago } from '../../ui/time'
import { describeStatus } from './describe-status'

/** One session in a list: what it is, where it runs, its last line, its state. */
export function SessionRow({ session }: { session: SessionSummary }) {
  const now = useNow()
  const status = describeStatus(session.status, session.unreachableSince, now)
  return (
    <li>
      <Link
        href={`/sessions/${session.sessionId}`}
        className="grid grid-cols-[1fr_auto] gap-x-3 gap-y-0.5 px-3 py-2.5 transition-colors duration-150 hover:bg-sunken"
      >
        <span className="truncate font-medium">
          <PlainText>{session.title}</PlainText>
        </span>
        <StatusBadge tone={status.tone} label={status.label} />
        <span className="truncate text-ink-2 text-sm">
          <PlainText>{session.lastLine || folderName(session.workDir)}</PlainText>
        </span>
        <span className="text-right text-ink-3 text-xs tabular-nums">
          {now === 0 ? '' : ago(session.updatedAt, now)}
        </span>
        <span className="col-span-2 flex min-w-0 gap-2 text-ink-3 text-xs">
          <span>{session.backend}</span>
          <span aria-hidden>·</span>
          <span className="truncate">{session.agentName}</span>
          <span aria-hidden>·</span>
          <span className="truncate">{folderName(session.workDir)}</span>
          {session.cost > 0 ? <span className="ml-auto tabular-nums">${session.cost.toFixed(2)}</span> : null}
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

export function folderName(path: string): string {
  const parts = path.split(/[\\/]/).filter(Boolean)
  return parts.slice(-2).join('/') || path
}

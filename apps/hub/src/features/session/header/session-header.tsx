'use client'
import type { SessionView } from '@roundhouse/backend-types'
import type { LiveBlocks } from '@roundhouse/delivery'
import type { SeenEvent } from '@roundhouse/hub-client'
import { ChevronLeft, ShieldAlert } from 'lucide-react'
import Link from 'next/link'
import { useBackendNames } from '../../../live/backend-names'
import { useHubAway } from '../../../live/hub-provider'
import { useMachineName } from '../../../live/machine-names'
import { useMay } from '../../../live/use-me'
import { useNow } from '../../../live/use-now'
import { late } from '../../../ui/overlays/late'
import { StatusBadge } from '../../../ui/status-badge'
import { dollars } from '../../../ui/text/dollars'
import { PlainText } from '../../../ui/text/plain-text'
import { ConnectionIndicator } from '../../connection/connection-indicator'
import { SessionLink } from '../../links/session-link'
import { describeStatus } from '../../sessions/describe-status'
import { folderName } from '../../sessions/folder-name'
import { unaskedNotice } from '../../sessions/new-session/unasked-notice'
import { RunMark } from '../../sessions/run-mark'
import { useBackend } from '../composer/use-backend'
import { SessionMenu } from './session-menu'

const BackgroundMenu = late(() => import('./background-menu').then((module) => module.BackgroundMenu))
const GrantsMenu = late(() => import('./grants-menu').then((module) => module.GrantsMenu))

interface SessionHeaderProps {
  view: SessionView
  progress: { at: number; head: number }
  /** The loaded part of the transcript. */
  events: readonly SeenEvent[]
  blocks: LiveBlocks | null
}

export function SessionHeader({ view, progress, events, blocks }: SessionHeaderProps) {
  const now = useNow()
  const machine = useMachineName(view.agentId, view.agentName)
  const nameBackend = useBackendNames()
  const mayOrganise = useMay('session.organise', true)
  const hubAway = useHubAway(view.unreachableSince !== undefined)
  const status = describeStatus({ ...view, hubAway }, now)
  const behind = progress.head - progress.at
  const unasked = unaskedNotice(useBackend(view))
  const folder = view.realWorkDir ?? view.settings.workDir
  return (
    <header className="flex min-h-12 shrink-0 items-center gap-2 border-line border-b bg-surface px-2 py-1.5 md:px-6">
      <Link
        href="/sessions"
        aria-label="Back to the sessions"
        className="rounded-md p-1 text-ink-3 hover:bg-sunken hover:text-ink md:hidden"
      >
        <ChevronLeft className="size-5" aria-hidden />
      </Link>
      <div className="min-w-0">
        <h1 className="truncate font-semibold text-base leading-tight" title={view.title}>
          <PlainText>{view.title}</PlainText>
        </h1>
        <p className="truncate text-ink-3 text-xs" title={folder}>
          {unasked === undefined ? null : (
            <span className="text-needs" title={unasked} data-testid="may-act-unasked">
              <ShieldAlert className="-mt-0.5 mr-1 inline size-3.5" aria-hidden />
              May act without asking ·{' '}
            </span>
          )}
          <RunMark run={view.run} />
          {nameBackend(view.settings.backend, view.agentId)} on {machine} ·{' '}
          <span className="font-mono">{folderName(folder)}</span>
        </p>
        {view.parentId === undefined ? null : (
          <p className="truncate text-ink-3 text-xs" data-testid="started-by">
            Started by <SessionLink sessionId={view.parentId} />
          </p>
        )}
      </div>
      <div className="ml-auto flex shrink-0 items-center gap-1 sm:gap-2">
        {behind > 1 ? (
          <span className="hidden text-needs text-xs tabular-nums sm:inline">
            catching up {progress.at.toLocaleString()} of {progress.head.toLocaleString()}
          </span>
        ) : null}
        <ConnectionIndicator inHeader />
        {view.cost > 0 ? (
          <span className="hidden text-ink-3 text-xs tabular-nums sm:inline" title="Cost of this session so far">
            {dollars(view.cost)}
          </span>
        ) : null}
        {view.background?.length ? <BackgroundMenu view={view} events={events} blocks={blocks} /> : null}
        {view.grants.length > 0 ? <GrantsMenu view={view} /> : null}
        <span data-testid="session-status">
          <StatusBadge tone={status.tone} label={status.label} />
        </span>
        {mayOrganise ? <SessionMenu view={view} /> : null}
      </div>
    </header>
  )
}

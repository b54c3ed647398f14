'use client'
import type { PeerView, SessionSummary } from '@roundhouse/backend-types'
import { CornerDownRight } from 'lucide-react'
import Link from 'next/link'
import { useBackendNames } from '../../live/backend-names'
import { useHubAway } from '../../live/hub-provider'
import { useMachineName } from '../../live/machine-names'
import { useNow } from '../../live/use-now'
import { StatusBadge } from '../../ui/status-badge'
import { dollars } from '../../ui/text/dollars'
import { PlainText } from '../../ui/text/plain-text'
import { ago } from '../../ui/text/time'
import { describeStatus } from '../sessions/describe-status'
import type { FleetRow } from './fleet-tree'
import { programWords } from './program-words'
import { StopTree } from './stop-tree'
import { treeBudgetWords } from './tree-budget-words'

/** A step of the tree; on a phone little room is left for it. */
const steps = ['', 'pl-3 md:pl-6', 'pl-6 md:pl-12', 'pl-9 md:pl-18']

export function FleetRowView({ row }: { row: FleetRow }) {
  const { id, name, depth, session, peer, isRoot } = row
  return (
    <li className="flex items-center gap-2 px-3 py-2.5" data-testid="fleet-row" data-depth={depth}>
      <div className={`flex min-w-0 flex-1 gap-2 ${steps[Math.min(depth, steps.length - 1)]}`}>
        {depth > 0 ? <CornerDownRight className="mt-0.5 size-4 shrink-0 text-ink-3" aria-hidden /> : null}
        <div className="min-w-0 flex-1">
          <div className="flex items-center gap-2">
            {session ? (
              <Link
                href={`/sessions/${id}`}
                data-list-item
                className="truncate font-medium underline-offset-4 hover:underline"
              >
                <PlainText>{session.title}</PlainText>
              </Link>
            ) : (
              <span className="truncate font-medium">
                <PlainText>{name}</PlainText>
              </span>
            )}
            {depth > 0 ? <span className="sr-only">level {depth + 1}</span> : null}
            <span className="ml-auto">{session ? <OfSession session={session} /> : <OfProgram peer={peer} />}</span>
          </div>
          <Facts session={session} peer={peer} />
        </div>
      </div>
      {isRoot && session ? <StopTree session={session} /> : null}
    </li>
  )
}

function OfSession({ session }: { session: SessionSummary }) {
  const now = useNow()
  const hubAway = useHubAway(session.unreachableSince !== undefined)
  const { tone, label } = describeStatus({ ...session, hubAway }, now)
  return <StatusBadge tone={tone} label={label} />
}

function OfProgram({ peer }: { peer: PeerView | null }) {
  return <StatusBadge {...programWords(peer)} />
}

function Facts({ session, peer }: { session: SessionSummary | null; peer: PeerView | null }) {
  const now = useNow()
  const spoken = peer?.heartbeat?.cost_usd
  const cost = session?.cost || (typeof spoken === 'number' ? spoken : 0)
  const heard = peer && now > 0 ? ago(peer.seenAt, now) : null
  return (
    <p className="flex flex-wrap gap-x-3 text-ink-3 text-xs tabular-nums">
      {session ? <Place session={session} /> : <span>Program with a token</span>}
      {peer?.phase ? <span>Phase {peer.phase}</span> : null}
      {heard && peer?.state !== 'left' ? <span>{heard === 'now' ? 'Seen just now' : `Seen ${heard} ago`}</span> : null}
      {cost > 0 ? <span>{dollars(cost)}</span> : null}
      {session ? <Budget session={session} /> : null}
      {peer && peer.asks.length > 0 ? (
        <span className="text-needs">{peer.asks.length === 1 ? 'Asks you' : `Asks you · ${peer.asks.length}`}</span>
      ) : null}
    </p>
  )
}

function Place({ session }: { session: SessionSummary }) {
  const nameBackend = useBackendNames()
  const machine = useMachineName(session.agentId, session.agentName)
  return (
    <>
      <span className="max-w-40 truncate" data-testid="fleet-backend">
        <PlainText>{nameBackend(session.backend, session.agentId)}</PlainText>
      </span>
      <span className="max-w-40 truncate">
        <PlainText>{machine}</PlainText>
      </span>
    </>
  )
}

/** Of the whole tree, so only its root has one. */
function Budget({ session: { spawning } }: { session: SessionSummary }) {
  const words = treeBudgetWords(spawning)
  if (!spawning || words === undefined) return null
  return (
    <span title={`Used by all sessions of this tree since ${spawning.byName} allowed it`} data-testid="tree-budget">
      {words}
    </span>
  )
}

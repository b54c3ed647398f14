'use client'
import { type AgentView, type BackendManifestEntry, toCodedError } from '@roundhouse/backend-types'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { useNow } from '../../live/use-now'
import { Button } from '../../ui/button'
import { ErrorNotice } from '../../ui/notice'
import { PlainText } from '../../ui/plain-text'
import { StatusBadge } from '../../ui/status-badge'
import { ago } from '../../ui/time'

/** One machine: whether it is there, what it can run (greyed with the reason where it cannot), what it allows. */
export function AgentCard({ agent }: { agent: AgentView }) {
  const hub = useHub()
  const queries = useQueryClient()
  const refresh = useMutation({
    mutationFn: () => hub.rest.refreshAgent(agent.agentId),
    onSettled: () => queries.invalidateQueries({ queryKey: ['agents'] }),
  })
  return (
    <li data-testid={`agent-${agent.name}`} className="rounded-lg border border-line bg-surface">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-4 py-3">
        <h2 className="font-semibold">
          <PlainText>{agent.name}</PlainText>
        </h2>
        <Presence agent={agent} />
        <div className="ml-auto flex gap-1">
          <Button
            size="sm"
            look="plain"
            disabled={!agent.online || refresh.isPending}
            onClick={() => refresh.mutate()}
            icon={<RefreshCw className={clsx('size-3.5', refresh.isPending && 'animate-spin')} aria-hidden />}
          >
            Look again
          </Button>
          {agent.state === 'active' ? <RevokeButton agent={agent} /> : null}
        </div>
      </div>
      <div className="grid gap-4 px-4 py-3 sm:grid-cols-[1fr_14rem]">
        <ul className="space-y-1.5" aria-label="Backends">
          {(agent.manifest?.backends ?? []).map((backend) => (
            <BackendLine key={backend.kind} backend={backend} />
          ))}
          {agent.manifest === null ? (
            <li className="text-ink-3 text-sm">It has not said yet what it can run.</li>
          ) : null}
        </ul>
        <Facts agent={agent} />
      </div>
      {refresh.error ? <ErrorNotice className="m-3" error={toCodedError(refresh.error).toBody()} /> : null}
    </li>
  )
}

function Presence({ agent }: { agent: AgentView }) {
  const now = useNow()
  if (agent.state !== 'active') return <StatusBadge tone="failed" label={agent.state} />
  if (agent.online) return <StatusBadge tone="done" label="Connected" />
  const since =
    agent.lastSeenAt === null ? 'never connected' : `offline, ${now === 0 ? '' : ago(agent.lastSeenAt, now)}`
  return <StatusBadge tone="quiet" label={since} />
}

function BackendLine({ backend }: { backend: BackendManifestEntry }) {
  return (
    <li
      data-testid={`backend-${backend.kind}`}
      data-installed={backend.installed}
      title={backend.unavailableReason}
      className={clsx('flex flex-wrap items-baseline gap-x-2 text-sm', !backend.installed && 'text-ink-3')}
    >
      <span
        className={clsx('size-1.5 self-center rounded-full', backend.installed ? 'bg-done' : 'bg-line-strong')}
        aria-hidden
      />
      <span className="font-medium">{backend.label}</span>
      {backend.installed ? (
        <span className="text-ink-3 text-xs">{backend.version}</span>
      ) : (
        <span className="text-xs">{backend.unavailableReason ?? 'not installed'}</span>
      )}
    </li>
  )
}

function Facts({ agent }: { agent: AgentView }) {
  return (
    <dl className="space-y-1.5 text-xs [&_dd]:text-ink-2 [&_dt]:text-ink-3">
      <div>
        <dt>Allowed folders</dt>
        {agent.roots.length === 0 ? <dd>none: allow one with “roundhouse-agent allow &lt;folder&gt;”</dd> : null}
        {agent.roots.map((root) => (
          <dd key={root} className="break-all font-mono">
            {root}
          </dd>
        ))}
      </div>
      <div>
        <dt>Highest sandbox</dt>
        <dd>{agent.maxSandbox ?? 'unknown'}</dd>
      </div>
      <div>
        <dt>Key</dt>
        <dd title={agent.keyFingerprint} className="font-mono">
          {agent.keyFingerprint.slice(0, 16).replace(/(.{4})(?=.)/g, '$1 ')}…
        </dd>
      </div>
    </dl>
  )
}

function RevokeButton({ agent }: { agent: AgentView }) {
  const hub = useHub()
  const queries = useQueryClient()
  const [asked, setAsked] = useState(false)
  const revoke = useMutation({
    mutationFn: () => hub.rest.revokeAgent(agent.agentId),
    onSettled: () => queries.invalidateQueries({ queryKey: ['agents'] }),
  })
  if (!asked) {
    return (
      <Button size="sm" look="plain" onClick={() => setAsked(true)}>
        Revoke
      </Button>
    )
  }
  return (
    <>
      <Button size="sm" look="danger" onClick={() => revoke.mutate()} disabled={revoke.isPending}>
        Revoke for good
      </Button>
      <Button size="sm" look="plain" onClick={() => setAsked(false)}>
        Keep
      </Button>
    </>
  )
}

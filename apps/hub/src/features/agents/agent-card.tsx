'use client'
import { type AgentView, type DiskTrouble, shortFingerprint, toCodedError } from '@roundhouse/backend-types'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { RefreshCw } from 'lucide-react'
import Link from 'next/link'
import { useHub } from '../../live/hub-provider'
import { useMay } from '../../live/use-me'
import { useNow } from '../../live/use-now'
import { Button } from '../../ui/forms/button'
import { CopyButton } from '../../ui/forms/copy-button'
import { ErrorNotice } from '../../ui/forms/notice'
import { StatusBadge } from '../../ui/status-badge'
import { sandboxLabel } from '../../ui/text/setting-words'
import { ago, shortDuration } from '../../ui/text/time'
import { AgentFrame } from './agent-frame'
import { AgentMenu } from './agent-menu'
import { BackendLine } from './backend-line'
import { Copied } from './copied'
import { FolderRules } from './folder-rules'

/** One machine: whether it is online, what it can run (greyed with the reason if it cannot), and what it allows. */
export function AgentCard({ agent }: { agent: AgentView }) {
  const hub = useHub()
  const queries = useQueryClient()
  const mayManage = useMay('agent.manage')
  const mayLook = useMay('session.create')
  const refresh = useMutation({
    mutationFn: () => hub.rest.refreshAgent(agent.agentId),
    onSettled: () => queries.invalidateQueries({ queryKey: ['agents'] }),
  })
  return (
    <AgentFrame
      agent={agent}
      head={
        <>
          <Presence agent={agent} />
          <Link
            href={`/sessions?agentId=${encodeURIComponent(agent.agentId)}`}
            className="text-ink-2 text-sm underline-offset-4 hover:underline"
          >
            {agent.activeSessions === 0
              ? 'No active sessions'
              : `${agent.activeSessions} active ${agent.activeSessions === 1 ? 'session' : 'sessions'}`}
          </Link>
          <div className="ml-auto flex items-center gap-1">
            {mayLook ? (
              <Button
                size="sm"
                look="plain"
                disabled={!agent.online || refresh.isPending}
                title={agent.online ? 'Check which programs are installed' : 'Not connected'}
                onClick={() => refresh.mutate()}
                icon={<RefreshCw className={clsx('size-3.5', refresh.isPending && 'animate-spin')} aria-hidden />}
              >
                Check for programs
              </Button>
            ) : null}
            {agent.state !== 'revoked' && mayManage ? <AgentMenu agent={agent} /> : null}
          </div>
        </>
      }
    >
      <div className="grid gap-4 px-4 py-3 sm:grid-cols-[1fr_14rem]">
        <ul className="space-y-1.5" aria-label="Programs">
          {(agent.manifest?.backends ?? []).map((backend) => (
            <BackendLine key={backend.kind} backend={backend} />
          ))}
          {agent.manifest === null ? <li className="text-ink-3 text-sm">No programs reported yet.</li> : null}
        </ul>
        <Facts agent={agent} />
      </div>
      <FolderRules agent={agent} />
      {agent.clonedAt === undefined ? null : <Copied agent={agent} />}
      {agent.clockSkewMs === undefined ? null : <Skew ms={agent.clockSkewMs} />}
      {agent.disk === undefined ? null : <DiskNote disk={agent.disk} />}
      {agent.pausedAt === undefined ? null : (
        <p className="border-line border-t px-4 py-3 text-ink-2 text-sm">
          It refuses all requests from this hub, and its sessions stop after the current turn. To resume, run
          “roundhouse-agent resume” on that machine.
        </p>
      )}
      {refresh.error ? <ErrorNotice className="m-3" error={toCodedError(refresh.error).toBody()} /> : null}
    </AgentFrame>
  )
}

const diskWords: Record<DiskTrouble, { label: string; note: string }> = {
  full: {
    label: 'Disk full',
    note: 'Its disk is full. Free up space on that machine.',
  },
  failing: {
    label: 'Disk failing',
    note: 'Its disk refuses to write. Check the disk of that machine.',
  },
}

function DiskNote({ disk }: { disk: DiskTrouble }) {
  return (
    <p role="status" className="border-line border-t px-4 py-3 text-ink-2 text-sm">
      {diskWords[disk].note} Until then it takes no new prompts or answers. Running turns are paused and lose nothing;
      they continue automatically.
    </p>
  )
}

function Skew({ ms }: { ms: number }) {
  return (
    <p className="border-line border-t px-4 py-3 text-ink-2 text-sm">
      Its clock is {shortDuration(Math.abs(ms))} {ms > 0 ? 'ahead of' : 'behind'} the hub’s. Times shown here are
      corrected. Fix the clock on that machine.
    </p>
  )
}

const stateWords: Record<Exclude<AgentView['state'], 'active'>, string> = {
  pending: 'Waiting for approval',
  disabled: 'Disabled',
  revoked: 'Revoked',
}

function Presence({ agent }: { agent: AgentView }) {
  const now = useNow()
  if (agent.state !== 'active') {
    return <StatusBadge tone={agent.state === 'revoked' ? 'failed' : 'needs'} label={stateWords[agent.state]} />
  }
  if (agent.clonedAt !== undefined) return <StatusBadge tone="failed" label="Copied or restored" />
  if (agent.online && agent.pausedAt !== undefined) return <StatusBadge tone="needs" label="Paused by its owner" />
  if (agent.online && agent.disk !== undefined) return <StatusBadge tone="failed" label={diskWords[agent.disk].label} />
  if (agent.online) return <StatusBadge tone="done" label="Connected" />
  if (agent.lastSeenAt === null) return <StatusBadge tone="quiet" label="Never connected" />
  const since = now === 0 ? 'now' : ago(agent.lastSeenAt, now)
  return <StatusBadge tone="quiet" label={since === 'now' ? 'Offline' : `Offline for ${since}`} />
}

function Facts({ agent }: { agent: AgentView }) {
  return (
    <dl className="space-y-1.5 text-xs [&_dd]:text-ink-2 [&_dt]:text-ink-3">
      <div>
        <dt>Allowed folders</dt>
        {agent.roots.length === 0 ? <dd>None. Allow one with “roundhouse-agent allow &lt;folder&gt;”</dd> : null}
        {[...new Set(agent.roots)].map((root) => (
          <dd key={root} className="break-all font-mono">
            {root}
          </dd>
        ))}
      </div>
      <div>
        <dt>Maximum sandbox</dt>
        <dd>{sandboxLabel(agent.maxSandbox)}</dd>
      </div>
      {agent.platform || agent.software ? (
        <div>
          <dt>System</dt>
          <dd>{[agent.platform, agent.software].filter(Boolean).join(' · ')}</dd>
        </div>
      ) : null}
      <div className="group/long relative">
        <dt>ID</dt>
        <dd>
          <span data-testid="machine-id" className="select-all font-mono">
            {agent.agentId}
          </span>
          <CopyButton corner label="Copy the ID" text={agent.agentId} />
        </dd>
      </div>
      <div>
        <dt>Key</dt>
        <dd title={agent.keyFingerprint} className="font-mono">
          {shortFingerprint(agent.keyFingerprint)}
        </dd>
      </div>
    </dl>
  )
}

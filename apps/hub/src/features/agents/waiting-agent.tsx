'use client'
import type { AgentView } from '@roundhouse/backend-types'
import { useMay } from '../../live/use-me'
import { useNow } from '../../live/use-now'
import { PlainText } from '../../ui/plain-text'
import { StatusBadge } from '../../ui/status-badge'
import { ago } from '../../ui/time'
import { Approval } from './approval'

/** A machine that joined and was not admitted yet. */
export function WaitingAgent({ agent }: { agent: AgentView }) {
  const mayManage = useMay('agent.manage')
  const now = useNow()
  return (
    <li data-testid={`agent-${agent.name}`} className="rounded-lg border border-line bg-surface">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-4 py-3">
        <h2
          tabIndex={-1}
          data-list-item
          className="min-w-0 rounded font-semibold [overflow-wrap:anywhere] focus-visible:outline-offset-2"
        >
          <PlainText>{agent.name}</PlainText>
        </h2>
        <StatusBadge tone="needs" label={mayManage ? 'Waiting for your approval' : 'Waiting for approval'} />
        <p className="text-ink-3 text-xs">
          {[agent.platform, now === 0 ? '' : joined(ago(agent.createdAt, now))].filter(Boolean).join(' · ')}
        </p>
      </div>
      <div className="px-4 py-3">
        <Approval agent={agent} />
      </div>
    </li>
  )
}

const joined = (since: string) => (since === 'now' ? 'joined just now' : `joined ${since} ago`)

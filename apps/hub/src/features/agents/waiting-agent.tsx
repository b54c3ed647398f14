'use client'
import type { AgentView } from '@roundhouse/backend-types'
import { useMay } from '../../live/use-me'
import { useNow } from '../../live/use-now'
import { StatusBadge } from '../../ui/status-badge'
import { ago } from '../../ui/text/time'
import { AgentFrame } from './agent-frame'
import { Approval } from './approval'

/** A machine that joined and waits for approval. */
export function WaitingAgent({ agent }: { agent: AgentView }) {
  const mayManage = useMay('agent.manage')
  const now = useNow()
  return (
    <AgentFrame
      agent={agent}
      head={
        <>
          <StatusBadge tone="needs" label={mayManage ? 'Waiting for your approval' : 'Waiting for approval'} />
          <p className="text-ink-3 text-xs">
            {[agent.platform, now === 0 ? '' : joined(ago(agent.createdAt, now))].filter(Boolean).join(' · ')}
          </p>
        </>
      }
    >
      <div className="px-4 py-3">
        <Approval agent={agent} />
      </div>
    </AgentFrame>
  )
}

const joined = (since: string) => (since === 'now' ? 'joined just now' : `joined ${since} ago`)

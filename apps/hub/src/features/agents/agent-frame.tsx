import type { AgentView } from '@roundhouse/backend-types'
import type { ReactNode } from 'react'
import { useMachineName } from '../../live/machine-names'
import { PlainText } from '../../ui/text/plain-text'

/** A machine in the list: its name, its badges, and its details below. */
export function AgentFrame({ agent, head, children }: { agent: AgentView; head: ReactNode; children: ReactNode }) {
  const name = useMachineName(agent.agentId, agent.name)
  return (
    <li data-testid={`agent-${agent.name}`} className="rounded-lg border border-line bg-surface">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-4 py-3">
        <h2
          tabIndex={-1}
          data-list-item
          className="min-w-0 rounded font-semibold [overflow-wrap:anywhere] focus-visible:outline-offset-2"
        >
          <PlainText>{name}</PlainText>
        </h2>
        {head}
      </div>
      {children}
    </li>
  )
}

'use client'
import { useAgents } from '../../live/use-agents'
import { EmptyState } from '../../ui/notice'
import { Page } from '../../ui/page'
import { AddAgentButton } from './add-agent'
import { AgentCard } from './agent-card'

export function AgentsPage() {
  const { agents, loaded } = useAgents()
  return (
    <Page title="Agents" actions={<AddAgentButton />}>
      {loaded && agents.length === 0 ? (
        <EmptyState title="No machines yet" action={<AddAgentButton />}>
          An agent is a small program that runs on a machine of yours and drives the coding agents there.
        </EmptyState>
      ) : (
        <ul className="space-y-4">
          {agents.map((agent) => (
            <AgentCard key={agent.agentId} agent={agent} />
          ))}
        </ul>
      )}
    </Page>
  )
}

'use client'
import type { AgentView } from '@roundhouse/backend-types'
import { useAgents } from '../../live/use-agents'
import { useMay } from '../../live/use-me'
import { EmptyState, ErrorNotice, Loading } from '../../ui/forms/notice'
import { Page } from '../../ui/page'
import { AddAgentButton } from './add-agent'
import { AgentCard } from './agent-card'
import { Joining } from './joining'
import { WaitingAgent } from './waiting-agent'
import { WHO_ADDS_MACHINES } from './who-adds-machines'

const isWaiting = ({ state }: AgentView) => state === 'pending'

export function AgentsPage() {
  const { agents, loaded, error } = useAgents()
  const runsHub = useMay('hub.manage')
  const add = useMay('token.manage') ? <AddAgentButton /> : null
  const [waiting, others] = [agents.filter(isWaiting), agents.filter((agent) => !isWaiting(agent))]
  return (
    <Page title="Agents" actions={add}>
      {error ? (
        <ErrorNotice error={error} next="The page tries again as soon as the hub responds." />
      ) : !loaded ? (
        <Loading>Loading agents…</Loading>
      ) : agents.length === 0 ? (
        <EmptyState title="No agents yet" action={add}>
          An agent is a small program that runs Claude Code or Codex on a machine.{add ? null : ` ${WHO_ADDS_MACHINES}`}
        </EmptyState>
      ) : (
        <ul className="space-y-4">
          {waiting.map((agent) => (
            <WaitingAgent key={agent.agentId} agent={agent} />
          ))}
          {others.map((agent) => (
            <AgentCard key={agent.agentId} agent={agent} />
          ))}
        </ul>
      )}
      {loaded && runsHub ? <Joining /> : null}
    </Page>
  )
}

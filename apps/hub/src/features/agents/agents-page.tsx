'use client'
import type { AgentView } from '@roundhouse/backend-types'
import { useAgents } from '../../live/use-agents'
import { useMay } from '../../live/use-me'
import { EmptyState, ErrorNotice, Loading } from '../../ui/notice'
import { Page } from '../../ui/page'
import { AddAgentButton } from './add-agent'
import { AgentCard } from './agent-card'
import { Joining } from './joining'
import { WaitingAgent } from './waiting-agent'

const isWaiting = ({ state }: AgentView) => state === 'pending'

export function AgentsPage() {
  const { agents, loaded, error } = useAgents()
  const runsHub = useMay('hub.manage')
  const add = useMay('token.manage') ? <AddAgentButton /> : null
  const [waiting, others] = [agents.filter(isWaiting), agents.filter((agent) => !isWaiting(agent))]
  return (
    <Page title="Agents" actions={add}>
      {error ? (
        <ErrorNotice error={error} next="It is asked again as soon as the hub answers." />
      ) : !loaded ? (
        <Loading>Looking for agents…</Loading>
      ) : agents.length === 0 ? (
        <EmptyState title="No agents yet" action={add}>
          An agent is a small program on a machine of yours. It runs Claude Code or Codex there.
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

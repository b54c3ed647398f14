'use client'
import type { AgentView } from '@roundhouse/backend-types'
import { useAgents } from '../../live/use-agents'
import { useMay } from '../../live/use-me'
import { EmptyState, ErrorNotice, Loading } from '../../ui/forms/notice'
import { late } from '../../ui/overlays/late'
import { Page } from '../../ui/page'
import { AddAgentButton } from './add-agent'
import { AgentCard } from './agent-card'
import { Joining } from './joining'
import { WaitingAgent } from './waiting-agent'
import { WHO_ADDS_MACHINES } from './who-adds-machines'

const ChannelBot = late(() => import('../channels/channel-bot').then((module) => module.ChannelBot))

const isWaiting = ({ state }: AgentView) => state === 'pending'

export function AgentsPage() {
  const { agents, loaded, error } = useAgents()
  const runsHub = useMay('hub.manage')
  const add = useMay('token.manage') ? <AddAgentButton /> : null
  const [waiting, others] = [agents.filter(isWaiting), agents.filter((agent) => !isWaiting(agent))]
  return (
    <Page title="Machines" actions={add}>
      {error ? (
        <ErrorNotice error={error} next="The page tries again as soon as the hub responds." />
      ) : !loaded ? (
        <Loading>Loading machines…</Loading>
      ) : agents.length === 0 ? (
        <EmptyState title="No machines yet" action={add}>
          Sessions run on machines. A small program there, roundhouse-agent, runs the coding agents that are installed
          there.
          {add ? null : ` ${WHO_ADDS_MACHINES}`}
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
      {loaded && runsHub ? <ChannelBot /> : null}
    </Page>
  )
}

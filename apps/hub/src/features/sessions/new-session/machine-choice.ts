/** The machines on which a session can start; one that would refuse stays visible, with the reason. Pure. */
import type { AgentView } from '@roundhouse/backend-types'
import { toldApart } from '../../../live/machine-names'
import type { ChoiceOption } from '../../../ui/forms/choice'

export function refusalOf({ pausedAt, disk, roots }: AgentView): string | undefined {
  if (pausedAt !== undefined) return 'paused by its owner'
  if (disk !== undefined) return disk === 'full' ? 'its disk is full' : 'its disk refuses to write'
  return roots.length === 0 ? 'allows no folder yet' : undefined
}

export function machineOptions(agents: readonly AgentView[]): ChoiceOption[] {
  const names = toldApart(agents)
  return agents.map((agent) => {
    const name = names.get(agent.agentId) ?? agent.name
    const refusal = refusalOf(agent)
    const when = agent.online ? '' : ' (offline: starts when it reconnects)'
    const label = refusal === undefined ? `${name}${when}` : `${name} — ${refusal}`
    return { value: agent.agentId, label, disabled: refusal !== undefined }
  })
}

export function pickMachine(agents: readonly AgentView[], wanted: string | null): AgentView | undefined {
  const takes = agents.filter((agent) => refusalOf(agent) === undefined)
  return takes.find(({ agentId }) => agentId === wanted) ?? takes.find(({ online }) => online) ?? takes[0] ?? agents[0]
}

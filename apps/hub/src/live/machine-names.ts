'use client'
import { type AgentView, shortFingerprint } from '@roundhouse/backend-types'
import { useMemo } from 'react'
import { useAgents } from './use-agents'

type Named = Pick<AgentView, 'agentId' | 'name' | 'keyFingerprint'>

/** The display name of each machine, by id; if two share a name, the beginning of the key follows it. Pure. */
export function toldApart(agents: readonly Named[]): ReadonlyMap<string, string> {
  const same = (one: Named, other: Named) => one.name.trim().toLowerCase() === other.name.trim().toLowerCase()
  return new Map(
    agents.map((agent) => {
      const isOnly = agents.every((other) => other.agentId === agent.agentId || !same(agent, other))
      return [agent.agentId, isOnly ? agent.name : `${agent.name} (key ${keyStart(agent)})`]
    }),
  )
}

const keyStart = ({ keyFingerprint }: Named) => shortFingerprint(keyFingerprint).split(' ').slice(0, 2).join(' ')

export function useMachineNames(): ReadonlyMap<string, string> {
  const { agents } = useAgents()
  return useMemo(() => toldApart(agents), [agents])
}

/** Of one machine that is known by its own name meanwhile. */
export function useMachineName(agentId: string, name: string): string {
  return useMachineNames().get(agentId) ?? name
}

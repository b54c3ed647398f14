'use client'
import { type AgentView, backendName, type ManifestChoice } from '@roundhouse/backend-types'
import { useMemo } from 'react'
import { useAgents } from './use-agents'

/** The display name of a backend, with its machine if the name depends on it. */
export type NameBackend = (kind: string, agentId?: string) => string

/** Uses the names that machines report: the session's own machine first, then any other. Pure. */
export function backendNames(agents: readonly Pick<AgentView, 'agentId' | 'manifest'>[]): NameBackend {
  const labelOf = (kind: string, { manifest }: Pick<AgentView, 'manifest'>) =>
    manifest?.backends.find((backend) => backend.kind === kind)?.label
  return (kind, agentId) => {
    const own = agents.filter((agent) => agent.agentId === agentId)
    const labels = [...own, ...agents].map((agent) => labelOf(kind, agent))
    return backendName(
      kind,
      labels.find((label) => label !== undefined && label !== ''),
    )
  }
}

/** The modes of a session's backend, as its machine has them. */
export function useBackendModes(agentId: string | undefined, kind: string | undefined): readonly ManifestChoice[] {
  const { agents } = useAgents()
  const manifest = agents.find((agent) => agent.agentId === agentId)?.manifest
  return manifest?.backends.find((backend) => backend.kind === kind)?.modes ?? none
}

const none: readonly ManifestChoice[] = []

export function useBackendNames(): NameBackend {
  const { agents } = useAgents()
  return useMemo(() => backendNames(agents), [agents])
}

'use client'
import type { BackendManifestEntry, SessionView } from '@roundhouse/backend-types'
import { useAgents } from '../../../live/use-agents'

/** The session's backend, as its machine reports it. */
export function useBackend({ agentId, settings }: SessionView): BackendManifestEntry | undefined {
  const { agents } = useAgents()
  const manifest = agents.find((agent) => agent.agentId === agentId)?.manifest
  return manifest?.backends.find(({ kind }) => kind === settings.backend)
}

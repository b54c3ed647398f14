'use client'
import type { BackendManifestEntry, SessionView } from '@roundhouse/backend-types'
import { useAgents } from '../../../live/use-agents'

/** What the session's machine says of the session's program. */
export function useBackend({ agentId, settings }: SessionView): BackendManifestEntry | undefined {
  const { agents } = useAgents()
  const manifest = agents.find((agent) => agent.agentId === agentId)?.manifest
  return manifest?.backends.find(({ kind }) => kind === settings.backend)
}

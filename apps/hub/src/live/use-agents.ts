'use client'
import type { AgentView } from '@roundhouse/backend-types'
import { useQuery } from '@tanstack/react-query'
import { useHub } from './hub-provider'

/** Every machine this person may see. The socket says when it is stale (`InboxProvider`). */
export function useAgents(): { agents: AgentView[]; loaded: boolean } {
  const hub = useHub()
  const query = useQuery({ queryKey: ['agents'], queryFn: () => hub.rest.agents() })
  return { agents: query.data?.items ?? [], loaded: query.isSuccess }
}

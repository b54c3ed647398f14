'use client'
import { type AgentView, type ErrorBody, toCodedError } from '@roundhouse/backend-types'
import { useQuery } from '@tanstack/react-query'
import { useHub } from './hub-provider'

/** Every machine this person may see. The socket says when it is stale (`InboxProvider`). */
export function useAgents(): { agents: AgentView[]; loaded: boolean; error: ErrorBody | null } {
  const hub = useHub()
  const query = useQuery({ queryKey: ['agents'], queryFn: () => hub.rest.agents() })
  const error = query.error && !query.data ? toCodedError(query.error).toBody() : null
  return { agents: query.data?.items ?? [], loaded: query.isSuccess, error }
}

'use client'
import type { HubSettings } from '@roundhouse/backend-types'
import { useQuery } from '@tanstack/react-query'
import { useHub } from './hub-provider'

/** How this hub takes machines in; undefined until it has said so. */
export function useHubSettings(): HubSettings | undefined {
  const hub = useHub()
  return useQuery({ queryKey: ['settings'], queryFn: () => hub.rest.settings() }).data
}

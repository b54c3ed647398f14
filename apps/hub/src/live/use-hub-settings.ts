'use client'
import type { HubSettings } from '@roundhouse/backend-types'
import { useQuery } from '@tanstack/react-query'
import { useHub } from './hub-provider'

/** This hub's settings for new machines; undefined until loaded. */
export function useHubSettings(): HubSettings | undefined {
  const hub = useHub()
  return useQuery({ queryKey: ['settings'], queryFn: () => hub.rest.settings() }).data
}

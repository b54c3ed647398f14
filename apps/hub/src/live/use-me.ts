'use client'
import type { Action, Me } from '@roundhouse/backend-types'
import { useQuery } from '@tanstack/react-query'
import { useHub } from './hub-provider'

/** The signed-in person; undefined until loaded. */
export function useMe(): Me | undefined {
  const hub = useHub()
  return useQuery({ queryKey: ['me'], queryFn: () => hub.rest.me(), staleTime: 60_000 }).data
}

/**
 * What this person may do. Until that is known, returns `meanwhile`: most people may do most things, and the page should not
 * jump for them.
 */
export function useMay(action: Action, meanwhile = false): boolean {
  return useMe()?.may.includes(action) ?? meanwhile
}

'use client'
import type { Action, Me } from '@roundhouse/backend-types'
import { useQuery } from '@tanstack/react-query'
import { useHub } from './hub-provider'

/** Who is signed in; undefined until the hub has said so. */
export function useMe(): Me | undefined {
  const hub = useHub()
  return useQuery({ queryKey: ['me'], queryFn: () => hub.rest.me(), staleTime: 60_000 }).data
}

/** What a page offers. Until it is known, `meanwhile`: most people may do most things, and nothing should jump for them. */
export function useMay(action: Action, meanwhile = false): boolean {
  return useMe()?.may.includes(action) ?? meanwhile
}

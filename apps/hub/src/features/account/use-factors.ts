'use client'
import { type ErrorBody, type SecondFactors, toCodedError } from '@roundhouse/backend-types'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useHub } from '../../live/hub-provider'

interface Factors {
  factors: SecondFactors | undefined
  error: ErrorBody | null
  refresh: () => Promise<void>
}

export function useFactors(): Factors {
  const hub = useHub()
  const queries = useQueryClient()
  const { data, error } = useQuery({ queryKey: ['factors'], queryFn: () => hub.rest.factors() })
  return {
    factors: data,
    error: error ? toCodedError(error).toBody() : null,
    refresh: () => queries.invalidateQueries({ queryKey: ['factors'] }),
  }
}

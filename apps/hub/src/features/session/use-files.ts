'use client'
import { type SessionView, toCodedError } from '@roundhouse/backend-types'
import { filesOf } from '@roundhouse/hub-client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { useHub } from '../../live/hub-provider'

export interface FoundFiles {
  found: readonly string[]
  /** Why there are none, or that there may be more. */
  note: string | null
}

/** Asked of the machine at each letter; null asks nothing. */
export function useFiles(view: SessionView, typed: string | null): FoundFiles {
  const hub = useHub()
  const query = useDeferredValue(typed)
  const { data, error } = useQuery({
    queryKey: ['files', view.sessionId, query],
    queryFn: () => filesOf(hub.rest, view.sessionId, query ?? ''),
    enabled: query !== null,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    retry: false,
  })
  if (typed === null) return { found: [], note: null }
  if (error) return { found: [], note: `Files cannot be listed. ${toCodedError(error).message}` }
  if (!data) return { found: [], note: null }
  if (data.files.length === 0) return { found: [], note: 'No file matches.' }
  return {
    found: data.files,
    note: data.complete ? null : 'Not all files were looked at. Type a folder to go on there.',
  }
}

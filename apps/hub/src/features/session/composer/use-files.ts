'use client'
import { MOST_FILES, rankFiles, type SessionView, toCodedError } from '@roundhouse/backend-types'
import { filesOf, type HubRest } from '@roundhouse/hub-client'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useDeferredValue, useEffect } from 'react'
import { useHub } from '../../../live/hub-provider'

export interface FoundFiles {
  found: readonly string[]
  /** Why there are none, or that there may be more. */
  note: string | null
}

/**
 * Asks the machine at each letter. As soon as a person types, it asks once for the first list of `@`, so that nobody waits
 * until the machine has looked. Until the answer to the last letter arrives, the previous list is ranked by the typed text,
 * so that Tab still picks a matching file. Null: no file is named.
 */
export function useFiles({ sessionId, status }: SessionView, typed: string | null): FoundFiles {
  const { rest } = useHub()
  const client = useQueryClient()
  const query = useDeferredValue(typed)
  const { data, error, isPlaceholderData } = useQuery({
    ...listed(rest, sessionId, query ?? ''),
    enabled: query !== null,
    placeholderData: keepPreviousData,
  })
  // Before it starts, the machine does not know the session.
  const isKnown = status.status !== 'waiting_for_agent' && status.status !== 'starting'
  useEffect(() => {
    if (isKnown) void client.prefetchQuery(listed(rest, sessionId, ''))
  }, [client, rest, sessionId, isKnown])
  if (typed === null) return { found: [], note: null }
  if (error) return { found: [], note: `Files cannot be listed. ${toCodedError(error).message}` }
  if (!data) return { found: [], note: null }
  if (isPlaceholderData || query !== typed) return { found: rankFiles(data.files, typed, MOST_FILES), note: null }
  if (data.files.length === 0) return { found: [], note: 'No file matches.' }
  return {
    found: data.files,
    note: data.complete ? null : 'Not all files were looked at. Type a folder to go on there.',
  }
}

const listed = (rest: HubRest, sessionId: string, query: string) => ({
  queryKey: ['files', sessionId, query],
  queryFn: () => filesOf(rest, sessionId, query),
  staleTime: 5_000,
  retry: false,
})

'use client'
import type { CommandView } from '@roundhouse/backend-types'
import { wholeText } from '@roundhouse/hub-client'
import { useQuery } from '@tanstack/react-query'
import { useHub } from '../../../live/hub-provider'

type Written = Pick<CommandView, 'commandId' | 'text' | 'textLength'>

/** The whole text of a command (VIEW-9): at once for a short one, and after fetching for a long one. */
export function useWholeText(sessionId: string, command: Written | undefined, isWanted: boolean) {
  const hub = useHub()
  const isCut = command?.textLength !== undefined
  const { data, error, isFetching } = useQuery({
    queryKey: ['command text', command?.commandId],
    queryFn: () => (command ? wholeText(hub.rest, sessionId, command) : ''),
    enabled: isCut && isWanted,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return { text: isCut ? data : command?.text, error, isFetching }
}

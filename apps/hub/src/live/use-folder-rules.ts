import type { FolderRule } from '@roundhouse/backend-types'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useHub } from './hub-provider'

const REFETCH_MS = 10_000
/** While one is being revoked: its session takes a moment. */
const SOON_MS = 1_000

/** What a machine allows without asking in its folders (PERM-13), as it answers now; empty while it is not connected. */
export function useFolderRules(agentId: string, { online = true, soon = false } = {}): FolderRule[] {
  const hub = useHub()
  const { data } = useQuery({
    queryKey: ['rules', agentId],
    queryFn: () => hub.rest.folderRules(agentId),
    enabled: online,
    refetchInterval: soon ? SOON_MS : REFETCH_MS,
    // An older agent does not know the question.
    retry: false,
  })
  return data?.rules ?? []
}

/** Only the session that left a rule takes it back. */
export function useRevokeRule(agentId: string) {
  const hub = useHub()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ sessionId, ruleId }: FolderRule) => hub.rest.revokeGrant(sessionId, ruleId),
    onSettled: () => queries.invalidateQueries({ queryKey: ['rules', agentId] }),
  })
}

'use client'
import type { SessionView } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useHub } from '../../live/hub-provider'
import { useMay } from '../../live/use-me'
import type { ActiveGrants } from '../transcript/cards/revoke-allowed'

/**
 * The active permissions of a session, and the machine whose rules they can be; both can be revoked everywhere they appear. The list in the header shows a refusal.
 */
export function useActiveGrants(view: SessionView | null): ActiveGrants {
  const hub = useHub()
  const sessionId = view?.sessionId ?? ''
  const { mutate } = useMutation({ mutationFn: (grantId: string) => hub.rest.revokeGrant(sessionId, grantId) })
  const mayRevoke = useMay('session.control', true)
  const agentId = mayRevoke ? view?.agentId : undefined
  const ids = (mayRevoke && view?.grants.map(({ grantId }) => grantId).join(' ')) || ''
  return useMemo(
    () => ({ active: new Set(ids.split(' ').filter((id) => id !== '')), revoke: mutate, agentId }),
    [ids, mutate, agentId],
  )
}

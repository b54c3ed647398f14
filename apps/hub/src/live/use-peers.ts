'use client'
import { type ErrorBody, type PeerView, toCodedError } from '@roundhouse/backend-types'
import { useQuery } from '@tanstack/react-query'
import { useHub } from './hub-provider'

/** Heartbeats ring nobody: the page asks for them now and then while somebody looks at it. */
const HEARTBEATS_EVERY_MS = 10_000

/** Who speaks on the bus, as far as this person may see it. The socket says when it is stale (`InboxProvider`). */
export function usePeers({ heartbeats = false } = {}): { peers: PeerView[]; loaded: boolean; error: ErrorBody | null } {
  const hub = useHub()
  const query = useQuery({
    queryKey: ['peers'],
    queryFn: () => hub.rest.peers(),
    ...(heartbeats ? { refetchInterval: HEARTBEATS_EVERY_MS } : {}),
  })
  const error = query.error && !query.data ? toCodedError(query.error).toBody() : null
  return { peers: query.data?.items ?? [], loaded: query.isSuccess, error }
}

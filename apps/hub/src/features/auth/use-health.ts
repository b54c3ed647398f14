import { HubRest, Transport } from '@roundhouse/hub-client'
import { useQuery } from '@tanstack/react-query'

/** What a hub says of itself to somebody who is not signed in; `undefined` until it has. */
export function useHealth() {
  const health = useQuery({
    queryKey: ['health'],
    queryFn: () => new HubRest(new Transport({ baseUrl: '' })).health(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return health.data
}

import { HubRest, Transport } from '@roundhouse/hub-client'
import { useQuery } from '@tanstack/react-query'

/** The hub's facts for people who are not signed in; `undefined` until loaded. */
export function useHealth() {
  const health = useQuery({
    queryKey: ['health'],
    queryFn: () => new HubRest(new Transport({ baseUrl: '' })).health(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return health.data
}

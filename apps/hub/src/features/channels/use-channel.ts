import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useHub } from '../../live/hub-provider'

export const telegram = { channel: 'telegram' } as const
const ownKey = ['own-channel'] as const
const botKey = ['channel-bot'] as const
/** A chat is linked, and a bot connects, while the page is open. */
const LOOK_MS = 2_000

/** A person's own link. */
export function useOwnChannel() {
  const { rest } = useHub()
  return useQuery({
    queryKey: ownKey,
    queryFn: () => rest.call('getOwnChannel', { id: telegram }),
    refetchInterval: LOOK_MS,
  })
}

/** The bot, for those who manage the hub. */
export function useChannelBot() {
  const { rest } = useHub()
  return useQuery({
    queryKey: botKey,
    queryFn: () => rest.call('getChannel', { id: telegram }),
    refetchInterval: LOOK_MS,
  })
}

/** Reads both anew. */
export function useReread() {
  const queries = useQueryClient()
  return async () => {
    await Promise.all([ownKey, botKey].map((queryKey) => queries.invalidateQueries({ queryKey })))
  }
}

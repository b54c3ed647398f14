/** What all workers that are here cost together (BUS-9). Pure. */
import type { NewBusRow, PeerRow } from '../../ports/bus-store'
import { HUB_PEER, systemRow } from '../messages/bus-messages'

export interface Budget {
  usd?: number | undefined
  tokens?: number | undefined
}

/** The warning, where they cost as much as they may or more; it concerns no single peer, so only owners and admins see it. */
export function overspent(peers: readonly PeerRow[], { usd, tokens }: Budget, now: number): NewBusRow | null {
  const here = peers.filter(({ state }) => state !== 'left')
  const sum = (of: 'cost' | 'tokens') => here.reduce((total, { facts }) => total + (facts[of] ?? 0), 0)
  const [cost, spent] = [sum('cost'), sum('tokens')]
  const exceeds = (usd !== undefined && cost >= usd) || (tokens !== undefined && spent >= tokens)
  if (!exceeds) return null
  const data = {
    current_usd: cost,
    threshold_usd: usd ?? 0,
    current_tokens: spent,
    ...(tokens === undefined ? {} : { threshold_tokens: tokens }),
  }
  return systemRow(
    'system-budget-warning-v1',
    data,
    { peerId: HUB_PEER, kind: 'token', agentId: null, userId: null },
    now,
  )
}

/** A peer as pages and programs see it. The heartbeat of a session is made from what its events say. Pure. */
import type { OpenAsk, PeerView } from '@roundhouse/backend-types'
import { FIRST_PHASE } from '@roundhouse/bus'
import type { PeerRow } from '../../ports/bus-store'

interface Seen {
  asks: OpenAsk[]
  connected: boolean
  now: number
}

export function peerView(peer: PeerRow, { asks, connected, now }: Seen): PeerView {
  const { peerId, kind, role, name, state, reason, phase, joinedAt, seenAt, facts } = peer
  const { parentId = null, heartbeat = null, tokens = 0, cost = 0, phaseAt = joinedAt } = facts
  const made = {
    current_phase: phase ?? FIRST_PHASE,
    time_in_phase_ms: Math.max(0, now - phaseAt),
    tokens_used: tokens,
    cost_usd: cost,
  }
  const beat = kind === 'session' && state !== 'left' ? made : heartbeat
  return {
    ...{ peerId, kind, role, name, parentId, state, reason, phase, joinedAt, seenAt, heartbeat: beat, asks },
    ...(connected ? { connected } : {}),
  }
}

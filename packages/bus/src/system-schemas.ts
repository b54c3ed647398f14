/** What the hub publishes. */
import { z } from 'zod'
import type { BusSchema } from './bus-schema'

const Name = z.string().max(128)
const ofPeer = { peerId: Name }
const Amount = z.number().min(0)

export const systemSchemas = {
  'system-peer-joined-v1': {
    topic: 'system.peer.joined',
    data: z.object({ ...ofPeer, role: Name, peerName: Name, ts: z.string().max(64) }).loose(),
  },
  'system-peer-left-v1': {
    topic: 'system.peer.left',
    data: z.object({ ...ofPeer, role: Name, reason: z.enum(['clean', 'crash', 'timeout']) }).loose(),
  },
  'system-peer-stale-v1': {
    topic: 'system.peer.stale',
    data: z.object({ ...ofPeer, last_seen: z.string().max(64), missed_heartbeats: Amount }).loose(),
  },
  'system-gate-fired-v1': {
    topic: 'system.gate.fired',
    data: z.object({ ...ofPeer, tool: Name, reason: z.string().max(4_000) }).loose(),
  },
  'system-budget-warning-v1': {
    topic: 'system.budget.warning',
    data: z
      .object({
        current_usd: Amount,
        threshold_usd: Amount,
        // Not every program reports its cost.
        current_tokens: Amount.optional(),
        threshold_tokens: Amount.optional(),
      })
      .loose(),
  },
  'system-malformed-received-v1': {
    topic: 'system.malformed.received',
    data: z.object({ from: Name, topic: z.string().max(256), error: z.string().max(4_000) }).loose(),
  },
} as const satisfies Record<string, BusSchema>

/** Not in the convention: it leaves limits for later (its section 15). */
export const ownSchemas = {
  'system-throttled-v1': {
    topic: 'system.throttled',
    data: z.object({ ...ofPeer, topic: z.string().max(256).nullable(), limit: Amount, dropped: Amount }).loose(),
  },
} as const satisfies Record<string, BusSchema>

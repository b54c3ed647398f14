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

const ofSession = { session_id: Name }

/** Not in the convention: it leaves limits for later (its section 15), and knows neither permissions nor turns. */
export const ownSchemas = {
  'system-throttled-v1': {
    topic: 'system.throttled',
    data: z.object({ ...ofPeer, topic: z.string().max(256).nullable(), limit: Amount, dropped: Amount }).loose(),
  },
  'system-permission-asked-v1': {
    topic: 'system.permission.asked',
    data: z.object({ ...ofSession, request_id: Name, tool: z.string().max(256), turn_id: Name.optional() }).loose(),
  },
  'system-permission-closed-v1': {
    topic: 'system.permission.closed',
    data: z
      .object({
        ...ofSession,
        request_id: Name,
        /** As in `permission_resolved`. */
        outcome: Name,
        /** Absent: nobody and no rule decided. */
        decision: Name.optional(),
        superseded_by: Name.optional(),
      })
      .loose(),
  },
  'system-turn-completed-v1': {
    topic: 'system.turn.completed',
    data: z
      .object({
        ...ofSession,
        turn_id: Name,
        /** `completed`, or why not. */
        reason: Name,
        /** US dollars. */
        cost_usd: Amount.optional(),
        duration_ms: Amount.optional(),
      })
      .loose(),
  },
  'system-session-ended-v1': {
    topic: 'system.session.ended',
    data: z.object({ ...ofSession, why: Name }).loose(),
  },
  'system-tree-stopped-v1': {
    topic: 'system.tree.stopped',
    data: z.object({ root_id: Name, why: Name }).loose(),
  },
} as const satisfies Record<string, BusSchema>

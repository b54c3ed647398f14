/** Reads a batch before its transaction: its bytes, and the keys that the decision will look up. */
import type { EventBatch, EventEnvelope, HostState, SessionEventKind } from '@roundhouse/backend-types'
import type { LoadKeys } from '../ports/stream/stream-writer'
import { deeds } from './proven-author'
import { envelopeFault, type ReadBody, readBody } from './read-event'

export interface ReadBatch extends EventBatch {
  /** The first invalid envelope. If there is one, no event is read. */
  fault: { seq: number; message: string } | null
  bodies: ReadonlyMap<EventEnvelope, ReadBody>
  /** Events were pruned from its log before the hub had them. */
  isPruned: boolean
}

export function readBatch(batch: EventBatch): ReadBatch {
  const bodies = new Map<EventEnvelope, ReadBody>()
  for (const event of batch.events) {
    const message = envelopeFault(event)
    if (message) return { ...batch, fault: { seq: event.seq, message }, bodies: new Map(), isPruned: false }
  }
  let isPruned = false
  for (const envelope of batch.events) {
    const body = readBody(envelope)
    bodies.set(envelope, body)
    if (body.kind === 'known' && body.event.kind === 'gap') isPruned ||= body.event.reason === 'pruned'
  }
  return { ...batch, fault: null, bodies, isPruned }
}

/** `account`: the host's own account, whose requests are opened again after lost events (LINK-5). */
export function keysOfBatch(agentId: string, batch: ReadBatch, account: HostState | null): LoadKeys {
  const { sessionId, events, isPruned } = batch
  const keys = {
    fences: [agentId],
    sessions: [{ sessionId, madeBy: agentId }],
    hashes: [{ sessionId, seqs: events.map(({ seq }) => seq) }],
    commands: [] as string[],
    given: [] as Array<{ commandId: string; kind: SessionEventKind }>,
    promptEdits: [] as Array<{ sessionId: string; promptId: string }>,
    requests: isPruned ? requestIdsOf(account) : [],
    openRequests: isPruned ? [{ agentId, sessionId }] : [],
    unsettled: [] as string[],
  }
  for (const body of batch.bodies.values()) {
    if (body.kind !== 'known') continue
    const { event } = body
    if (event.kind === 'gap') {
      if (event.reason !== 'pruned') keys.unsettled = [sessionId]
      continue
    }
    if (event.commandId !== undefined) {
      keys.commands.push(event.commandId)
      if (deeds.has(event.kind)) keys.given.push({ commandId: event.commandId, kind: event.kind })
    }
    if (event.kind === 'user_message') keys.promptEdits.push({ sessionId, promptId: event.promptId })
    if (event.kind === 'permission_resolved') keys.requests.push(event.requestId)
    if (event.kind === 'permission_requested') {
      keys.requests.push(event.ask.requestId)
      keys.openRequests = [{ agentId, sessionId }]
    }
  }
  return keys
}

export const requestIdsOf = (account: HostState | null): string[] =>
  (account?.requests ?? []).map(({ requestId }) => requestId)

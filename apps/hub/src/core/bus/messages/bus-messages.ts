/** Rows that the hub itself makes, and rows from what a peer published. Pure. */
import { randomUUID } from 'node:crypto'
import type { BusData, BusMessage, PublishedMessage } from '@roundhouse/backend-types'
import { readTopic, type SchemaData, type SchemaName, schemaTopic } from '@roundhouse/bus'
import { spokenName } from '../../names/peer-name'
import type { BusAudience, BusRow, NewBusRow, PeerRow } from '../../ports/bus-store'

export const iso = (millis: number): string => new Date(millis).toISOString()

/** As whom the hub speaks. Nobody else has this id: others begin with a letter and `_`, or are sessions. */
export const HUB_PEER = 'hub'

type SystemSchema = Extract<SchemaName, `system-${string}`>

/** A message of the hub about a peer: whoever may see the peer may see it. */
export function systemRow<N extends SystemSchema>(
  schema: N,
  data: SchemaData<N>,
  peer: BusAudience & { peerId: string; kind: PeerRow['kind'] },
  now: number,
): NewBusRow {
  return {
    topic: schemaTopic(schema),
    fromPeer: HUB_PEER,
    messageId: randomUUID(),
    correlationId: null,
    parentId: null,
    fromName: HUB_PEER,
    terminalId: null,
    publishedAt: iso(now),
    storedAt: now,
    schema,
    data: data as BusData,
    subject: peer.peerId,
    ...audienceOf(peer),
    sessionId: peer.kind === 'session' ? peer.peerId : null,
  }
}

const audienceOf = ({ agentId, userId }: BusAudience): BusAudience => ({ agentId, userId })

/** What a peer said. `from_peer` and `ts_server` are the hub's, and `from_name` is already a name of the hub's making. */
export function rowOf(message: PublishedMessage, peer: PeerRow, now: number): NewBusRow {
  const parts = readTopic(message.topic)
  return {
    topic: message.topic,
    fromPeer: peer.peerId,
    messageId: message.id,
    correlationId: message.correlation_id ?? null,
    parentId: message.parent_id ?? peer.facts.parentId ?? null,
    fromName: message.from_name ?? spokenName(peer),
    terminalId: message.terminal_id ?? (peer.kind === 'session' ? peer.peerId : null),
    publishedAt: message.ts_published ?? iso(now),
    storedAt: now,
    schema: message.schema,
    data: message.data,
    subject: parts?.space === 'worker' || parts?.space === 'cmd' ? parts.peerId : null,
    ...audienceOf(peer),
    sessionId: peer.kind === 'session' ? peer.peerId : null,
  }
}

/** A command is for whoever sees the peer that it is for, and goes with the session that it is for. */
export function addressed(row: NewBusRow, target: PeerRow): NewBusRow {
  const sessionId = target.kind === 'session' ? target.peerId : null
  return { ...row, agentId: target.agentId, userId: target.userId ?? row.userId, sessionId }
}

export function toMessage(row: BusRow): BusMessage {
  return {
    offset: row.offset,
    topic: row.topic,
    v: 1,
    id: row.messageId,
    correlation_id: row.correlationId,
    parent_id: row.parentId,
    from_peer: row.fromPeer,
    from_name: row.fromName,
    terminal_id: row.terminalId,
    ts_published: row.publishedAt,
    ts_server: iso(row.storedAt),
    schema: row.schema,
    data: row.data,
  }
}

/** How a peer joins, falls silent and leaves: what its row becomes, and what the bus hears. Pure. */

import { isTerminalPhase } from '@roundhouse/bus'
import { spokenName } from '../../names/peer-name'
import type { AskStep } from '../../ports/ask-store'
import type { BusWrite, LeftReason, NewBusRow, PeerRow } from '../../ports/bus-store'
import { iso, systemRow } from '../messages/bus-messages'
import { phaseOf } from '../messages/phase-move'

/** Without a sign of life for longer than this a worker is stale, by the hub's clock. */
const STALE_MS = 30_000
/** Heartbeats come at least this often. */
const HEARTBEAT_MS = 10_000
/** A stale peer without a connection has left. */
const GONE_MS = 300_000

export interface Changed {
  peer: PeerRow
  rows: NewBusRow[]
  /** A life that ends or begins waits for nothing. */
  asks: AskStep[]
}

export const written = (...changes: readonly Changed[]): BusWrite => ({
  rows: changes.flatMap(({ rows }) => rows),
  peers: changes.map(({ peer }) => peer),
  asks: changes.flatMap(({ asks }) => asks),
})

export type Newcomer = Pick<PeerRow, 'peerId' | 'kind' | 'role' | 'name' | 'agentId' | 'userId'>

/** A new life: nothing of an earlier one counts. */
export function join(newcomer: Newcomer, now: number, facts: PeerRow['facts'] = {}): Changed {
  const life = { state: 'here', joinedAt: now, seenAt: now, reason: null, phase: null } as const
  const peer: PeerRow = { ...newcomer, ...life, facts }
  const data = { peerId: peer.peerId, role: peer.role, peerName: spokenName(peer), ts: iso(now) }
  return {
    peer,
    rows: [systemRow('system-peer-joined-v1', data, peer, now)],
    asks: [{ step: 'moved', peerId: peer.peerId, at: now }],
  }
}

export function leave(peer: PeerRow, reason: LeftReason, now: number): Changed {
  const data = { peerId: peer.peerId, role: peer.role, reason }
  const rows = [systemRow('system-peer-left-v1', data, peer, now)]
  return { peer: { ...peer, state: 'left', reason }, rows, asks: [{ step: 'moved', peerId: peer.peerId, at: now }] }
}

function fallSilent(peer: PeerRow, now: number): Changed {
  const missed = Math.floor((now - peer.seenAt) / HEARTBEAT_MS)
  const data = { peerId: peer.peerId, last_seen: iso(peer.seenAt), missed_heartbeats: missed }
  return { peer: { ...peer, state: 'stale' }, rows: [systemRow('system-peer-stale-v1', data, peer, now)], asks: [] }
}

/** Its silence says something. Of another program its connection says whether it is here. */
export const sendsHeartbeats = ({ facts }: PeerRow): boolean => facts.heartbeat !== undefined

/** It is complete or in a terminal phase, where heartbeats end. */
const hasNoMoreToSay = (peer: PeerRow): boolean => {
  const phase = phaseOf(peer)
  return peer.facts.completed === true || (phase !== null && isTerminalPhase(phase))
}

/** Null: nothing changes at this moment. `connected`: it has a socket, or its machine is online. */
export function judgeSilence(peer: PeerRow, now: number, connected: boolean): Changed | null {
  const silentMs = now - peer.seenAt
  const isAtEnd = peer.kind !== 'session' && hasNoMoreToSay(peer)
  if (peer.state === 'here' && silentMs > STALE_MS && !isAtEnd) return fallSilent(peer, now)
  if ((peer.state === 'stale' || isAtEnd) && silentMs > GONE_MS && !connected)
    return leave(peer, peer.facts.completed ? 'clean' : 'timeout', now)
  return null
}

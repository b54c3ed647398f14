/**
 * One authenticated WebSocket to the hub (LINK-1): a fresh challenge for every attempt, the signature in the upgrade
 * request, no reconnection and no buffering by the library. Every request has a time limit; silence means a dead link. What
 * is said on it goes through its outlet (`outlet.ts`).
 */
import { type AgentToHub, agentAuthHeaders, type HubToAgent, signedText } from '@roundhouse/backend-types'
import { io, type Socket } from 'socket.io-client'
import type { LinkIdentity } from './ports'

/** Asks the hub for a nonce and returns only after it proved its key. The answer has to come within `limitMs`. */
export type AskChallenge = (identity: LinkIdentity, limitMs: number) => Promise<{ hubId: string; nonce: string }>

const ACK_TIMEOUT_MS = 20_000
const CONNECT_TIMEOUT_MS = 10_000

export type AgentSocket = Socket<HubToAgent, AgentToHub>

export async function openAgentSocket(
  identity: LinkIdentity,
  askChallenge: (identity: LinkIdentity) => ReturnType<AskChallenge>,
  ackTimeoutMs = ACK_TIMEOUT_MS,
): Promise<AgentSocket> {
  const { hubId, nonce } = await askChallenge(identity)
  const signature = identity.sign(signedText.agentAuth(hubId, identity.agentId, nonce, identity.hubUrl))
  return io(`${identity.hubUrl}/agent`, {
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    autoConnect: false,
    timeout: CONNECT_TIMEOUT_MS,
    ackTimeout: ackTimeoutMs,
    extraHeaders: {
      [agentAuthHeaders.agentId]: identity.agentId,
      [agentAuthHeaders.nonce]: nonce,
      [agentAuthHeaders.signature]: signature,
    },
  })
}

/** Without what says anything: that is the outlet's. */
export type HeardSocket = Omit<AgentSocket, 'emit' | 'emitWithAck' | 'send' | 'timeout' | 'volatile'>

/** The library says "websocket error"; the reason lies underneath. */
export function reasonOf(error: Error): string {
  const inner = 'description' in error ? error.description : undefined
  const message =
    inner && typeof inner === 'object' && 'message' in inner && typeof inner.message === 'string' ? inner.message : ''
  return message ? `the hub did not take the connection (${message})` : `the connection failed (${error.message})`
}

/** Bytes that wait in the WebSocket below; 0 where the transport does not tell. */
export function backlogOf(socket: HeardSocket): number {
  const transport: unknown = socket.io.engine?.transport
  const ws = typeof transport === 'object' && transport !== null && 'ws' in transport ? transport.ws : null
  const waiting = typeof ws === 'object' && ws !== null && 'bufferedAmount' in ws ? ws.bufferedAmount : 0
  return typeof waiting === 'number' ? waiting : 0
}

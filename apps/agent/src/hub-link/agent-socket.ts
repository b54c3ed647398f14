/**
 * One authenticated WebSocket to the hub (LINK-1): a fresh challenge for every attempt, the signature in the upgrade
 * request, no reconnection and no buffering by the library. Every request has a time limit; silence means a dead link.
 */
import {
  type AgentToHub,
  agentAuthHeaders,
  CodedError,
  type ErrorBody,
  type FrameOf,
  fromErrorBody,
  type GoodReply,
  type HubToAgent,
  type ImageAsked,
  ImageChunk,
  type Reply,
  signedText,
} from '@roundhouse/backend-types'
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

/** What the hub refused, as opposed to a link that broke. */
export class RefusedByHub extends Error {
  constructor(readonly error: ErrorBody) {
    super(`${error.message} (${error.code})`)
  }
}

/** Emits and waits for the reply. Throws `RefusedByHub`, or a coded error when no reply came in time. */
export async function ask<E extends keyof AgentToHub>(
  socket: AgentSocket,
  event: E,
  body: FrameOf<AgentToHub, E>,
): Promise<GoodReply<AgentToHub, E>> {
  if (!socket.connected) throw new CodedError('AGENT_OFFLINE', 'The link is down.')
  const untyped = socket as unknown as { emitWithAck(event: string, body: unknown): Promise<Reply> }
  let reply: Reply
  try {
    reply = await untyped.emitWithAck(event, body)
  } catch (cause) {
    throw new CodedError('AGENT_OFFLINE', `The hub did not answer "${event}".`, undefined, cause)
  }
  if (reply.ok) return reply as GoodReply<AgentToHub, E>
  throw new RefusedByHub(fromErrorBody(reply.error).toBody())
}

/** A chunk of an image. What the hub refuses keeps its code. */
export async function askImage(socket: AgentSocket, asked: ImageAsked): Promise<ImageChunk> {
  try {
    return ImageChunk.parse(await ask(socket, 'image', asked))
  } catch (error) {
    throw error instanceof RefusedByHub ? fromErrorBody(error.error) : error
  }
}

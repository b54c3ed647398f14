/**
 * Judged before a socket exists, in the upgrade request itself (LINK-1, WEB-1): Host and Origin first, then the
 * credential. An agent comes with a signature over one of our nonces, a program with its token. A browser can add nothing to an
 * upgrade: it is let in under a small budget for each network, and proves its key before it enters a namespace (T16).
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  agentAuthHeaders,
  CodedError,
  type ErrorCode,
  errorTable,
  type ProvenRequest,
  socketProofPath,
} from '@roundhouse/backend-types'
import type { ClientAddress } from '../../auth/client-address'
import type { Actor, AgentCredential, AgentGate } from '../../core'
import type { Unclaimed } from './unclaimed'

export interface ViewerLogin {
  actor: Actor
  loginId: string
}

/** What an upgrade, or the CONNECT of a namespace, shows of a person. Throws `PROOF_STALE`. */
export type Authenticate = (
  shown: ProvenRequest & { proof?: string | undefined; authorization?: string | undefined },
) => Promise<ViewerLogin | null>

/** What a socket proves, which has no request of its own. */
export const socketRequest = { method: 'GET', path: socketProofPath } as const

/** Host and Origin of a handshake. */
export type Judge = (host: string | undefined, origin: string | undefined) => ErrorCode | null

/** What the upgrade proved, for the namespaces to read. */
const credentials = new WeakMap<IncomingMessage, AgentCredential>()

export const agentOf = (request: IncomingMessage): AgentCredential | undefined => credentials.get(request)

export interface HandshakeOptions {
  /** A browser: our Host, and our Origin. */
  judgeViewer: Judge
  /** An agent: our Host, and no Origin. */
  judgeAgent: Judge
  gate: AgentGate
  authenticate: Authenticate
  addressOf: ClientAddress
  unclaimed: Unclaimed
  onRefused: (refusal: { code: ErrorCode; request: IncomingMessage }) => void
}

type Decide = (error: string | null | undefined, success: boolean) => void

export function createAllowRequest(options: HandshakeOptions) {
  return (request: IncomingMessage, decide: Decide): void => {
    judge(options, request).then(
      (code) => {
        if (code === null) {
          decide(null, true)
          return
        }
        options.onRefused({ code, request })
        answer(request.socket, code)
        decide(code, false)
      },
      () => {
        answer(request.socket, 'INTERNAL')
        decide('INTERNAL', false)
      },
    )
  }
}

async function judge(options: HandshakeOptions, request: IncomingMessage): Promise<ErrorCode | null> {
  const { judgeAgent, gate } = options
  const { headers } = request
  const { host, origin } = headers
  const agentId = one(headers[agentAuthHeaders.agentId])
  if (agentId === undefined) return judgePerson(options, request)
  const refusal = judgeAgent(host, origin)
  if (refusal) return refusal
  const nonce = one(headers[agentAuthHeaders.nonce])
  const signature = one(headers[agentAuthHeaders.signature])
  if (!agentId || !nonce || !signature) return 'AUTH_FAILED'
  const credential = await gate.judgeUpgrade({ agentId, nonce, signature })
  if (!credential) return 'AUTH_FAILED'
  credentials.set(request, credential)
  return null
}

async function judgePerson(options: HandshakeOptions, request: IncomingMessage): Promise<ErrorCode | null> {
  const { authenticate, addressOf, unclaimed } = options
  const { host, origin, authorization } = request.headers
  // A token comes from a program, which needs no Origin; a foreign one is refused all the same (WEB-1).
  const isProgram = authorization !== undefined && origin === undefined
  const refusal = isProgram ? options.judgeAgent(host, origin) : options.judgeViewer(host, origin)
  if (refusal) return refusal
  const login = authorization === undefined ? null : await authenticate({ ...socketRequest, authorization })
  const claimant = login ? { person: login.actor.userId } : { address: addressOf(request) }
  const { socket } = request
  if (socket.destroyed || !unclaimed.admit(request, claimant, () => socket.destroy())) return 'STORAGE_UNAVAILABLE'
  socket.once('close', () => unclaimed.left(request))
  return null
}

/** The library would answer 400 to everything; the right status is written before it closes the connection. */
function answer(socket: Duplex, code: ErrorCode): void {
  if (!socket.writable) return
  const body = JSON.stringify({ error: new CodedError(code).toBody() })
  const head = [
    `HTTP/1.1 ${errorTable[code].status} ${code}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}

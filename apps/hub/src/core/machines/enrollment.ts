/**
 * Enrollment (JOIN-1, JOIN-2): exchanges a one-use token for an agent, whose key the agent generated itself. The caller
 * cannot tell the failures apart; the audit log can.
 */

import {
  type AgentState,
  type ChallengeReply,
  type ChallengeRequest,
  CodedError,
  type EnrollReply,
  type EnrollRequest,
  type RotateKeyReply,
  type RotateKeyRequest,
  signedText,
} from '@roundhouse/backend-types'
import { fingerprintOf, isSignedBy, signText } from '@roundhouse/keys'
import type { Caller } from '../access/caller'
import { asMachine, entryOf, hubItself, refusalOf, stranger } from '../audit/audit'
import { clientNetwork } from '../common/client-network'
import { judgeSecret } from '../common/one-use'
import { newId } from '../common/random'
import { parseToken } from '../common/secret-token'
import { ShownOnce } from '../common/shown-once'
import type { TokenRow } from '../ports/enrollment-token-store'
import type { AgentRow } from '../ports/machine-store'
import type { Reads } from '../ports/stores'
import { newChain } from './chain'
import type { Door } from './door'
import { createEnrollmentTokens, type EnrollmentTokensApi, type EnrollmentTokensDeps } from './enrollment-tokens'
import { type RotateKeyDeps, rotateKey } from './rotate-key'

export interface EnrollmentDeps extends EnrollmentTokensDeps, RotateKeyDeps {
  door: Door
  reads: Pick<Reads, 'enrollmentTokens' | 'machines'>
}

/** Public routes. */
export interface EnrollmentApi extends EnrollmentTokensApi {
  challenge(caller: Caller, request: ChallengeRequest): Promise<ChallengeReply>
  enroll(caller: Caller, request: EnrollRequest): Promise<EnrollReply>
  rotateKey(caller: Caller, request: RotateKeyRequest): Promise<RotateKeyReply>
}

export function createEnrollment(deps: EnrollmentDeps): EnrollmentApi {
  const shown = new ShownOnce(deps.now)
  return {
    ...createEnrollmentTokens(deps, shown),
    challenge: async (_caller, { agentId, agentNonce }) => {
      const { hub, challenges, door, reads } = deps
      const retryAfterMs = agentId !== undefined && (await reads.machines.state(agentId)) ? door.waitMs(agentId) : 0
      if (retryAfterMs > 0) throw comeLater(retryAfterMs)
      return {
        hubId: hub.hubId,
        hubPublicKey: hub.publicKey,
        nonce: challenges.give(agentId),
        hubSignature: signText(hub.privateKey, signedText.hubAuth(hub.hubId, agentNonce)),
      }
    },
    enroll: async (caller, request) => {
      const reply = await enroll(deps, caller, request)
      shown.forget(parseToken('rhe', request.token)?.tokenId ?? '')
      return reply
    },
    rotateKey: (caller, request) => rotateKey(deps, caller, request),
  }
}

/** LINK-4: the caller gets a turn. */
function comeLater(retryAfterMs: number): CodedError {
  const retryAfterSeconds = Math.ceil(retryAfterMs / 1_000)
  return new CodedError('RATE_LIMITED', 'Many machines are reconnecting at once.', { retryAfterMs, retryAfterSeconds })
}

async function enroll(deps: EnrollmentDeps, caller: Caller, request: EnrollRequest): Promise<EnrollReply> {
  const { hub, challenges, strangersTold, transactions, changes, now } = deps
  const { nonce, publicKey, signature } = request
  if (!challenges.isOpen(nonce) || !isSignedBy(publicKey, signedText.enroll(hub.hubId, nonce, publicKey), signature)) {
    throw new CodedError('AUTH_FAILED')
  }
  const parsed = parseToken('rhe', request.token)
  // A refusal is a value here, because the count of wrong attempts and the audit entry must survive it.
  const outcome = await transactions.write(async (tx): Promise<AgentRow | string> => {
    const token = parsed ? await tx.enrollmentTokens.find(parsed.tokenId) : null
    const object = parsed?.tokenId ?? 'none'
    const refuse = async (why: string) => {
      const cause = `agent.enroll ${why} ${token?.tokenId ?? parsed === null} ${clientNetwork(caller.address)}`
      if (!strangersTold.isNews(cause)) return why
      await tx.audit.append(refusalOf(stranger(caller.address), 'agent.enroll', object, { why }), now())
      return why
    }
    const refusal = judgeSecret(token, parsed?.secretHash, now())
    if (token && refusal === 'wrong secret') await tx.enrollmentTokens.countWrong(token.tokenId)
    if (refusal !== null || !token) return refuse(refusal ?? 'unknown')
    if (await tx.machines.isKeyKnown(publicKey)) return refuse('known key')
    const waits = token.requireApproval || (token.createdBy !== hubItself.userId && (await tx.hub.requiresApproval()))
    const agent = newAgent(request, token, waits ? 'pending' : 'active', now())
    if (!(await tx.enrollmentTokens.spend(token.tokenId, agent.agentId, now()))) return 'used'
    await tx.machines.insert(agent)
    const who = asMachine(agent, caller.address)
    await tx.audit.append(entryOf(who, 'agent.enroll', object, { keyFingerprint: agent.keyFingerprint, waits }), now())
    return agent
  })
  if (typeof outcome === 'string') throw new CodedError('ENROLLMENT_INVALID')
  challenges.use(nonce)
  changes.agent(outcome.agentId)
  const { agentId, state, name } = outcome
  return { agentId, hubId: hub.hubId, hubPublicKey: hub.publicKey, state, name }
}

function newAgent(request: EnrollRequest, token: TokenRow, state: AgentState, now: number): AgentRow {
  return {
    agentId: newId('agt'),
    name: token.name ?? request.name,
    state,
    publicKey: request.publicKey,
    keyFingerprint: fingerprintOf(request.publicKey),
    createdAt: now,
    createdBy: token.createdBy,
    lastSeenAt: null,
    connEpoch: 0,
    ...newChain,
    clonedAt: null,
    software: null,
    platform: request.platform,
    manifest: null,
    roots: [],
    maxSandbox: null,
    policyDigest: null,
    policySummary: null,
    pausedAt: null,
    clockOffsetMs: 0,
  }
}

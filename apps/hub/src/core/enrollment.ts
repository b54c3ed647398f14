/**
 * Enrollment (JOIN-1, JOIN-2): a one-use token, hashed at rest and shown once, traded for an agent whose key the agent
 * made itself. To the caller every failure looks the same; the audit log tells them apart.
 */
import {
  type AgentState,
  CodedError,
  type EnrollmentTokenMade,
  type EnrollmentTokenView,
  type EnrollReply,
  type EnrollRequest,
  signedText,
} from '@roundhouse/backend-types'
import { type Actor, requireCan } from './access'
import { entryOf, refusalOf, stranger } from './audit'
import { newChain } from './chain'
import type { Context } from './context'
import type { AgentsApi, Caller } from './facade'
import { fingerprintOf, isSignedBy, newId, sameDigest, sha256, signText } from './keys'
import { once } from './once'
import type { AgentRow, TokenRow, WriteTx } from './ports'
import { rotateKey } from './rotate-key'
import { makeToken, parseToken } from './secret-token'
import { ShownTokens } from './shown-tokens'

export const TOKEN_LIFE_MINUTES = 15
const TOKEN_ATTEMPTS = 10
const TOKENS_LISTED = 100
/** Compared with when there is no such token, so that both ways take the same time. */
const noHash = sha256('no token')

type EnrollmentApi = Pick<
  AgentsApi,
  'makeToken' | 'getToken' | 'listTokens' | 'revokeToken' | 'makeLocalToken' | 'challenge' | 'enroll' | 'rotateKey'
>

export function createEnrollment(context: Context): EnrollmentApi {
  const { reads, now } = context
  const shown = new ShownTokens(now)
  const viewOf = (tokenId: string) => {
    const row = reads.token(tokenId)
    if (!row) throw new CodedError('NOT_FOUND', 'There is no such token.')
    return tokenView(row, now())
  }
  return {
    makeToken: async (actor, request, key) => {
      requireCan(actor, 'token.manage')
      const { name = null, ttlMinutes = TOKEN_LIFE_MINUTES, requireApproval = false } = request
      const kept = await once(context, { actor, route: 'token.make', key, body: request }, async (tx) => {
        const { token, ...made } = await addToken(context, tx, { actor, name, ttlMinutes, requireApproval })
        shown.keep(made.tokenId, token, made.expiresAt)
        return made
      })
      const token = shown.get(kept.tokenId)
      if (token === undefined) throw new CodedError('SHOWN_ONCE', undefined, { tokenId: kept.tokenId })
      return withCommand({ ...kept, token })
    },
    makeLocalToken: async (name) =>
      withCommand(
        await context.transactions.write((tx) =>
          addToken(context, tx, { actor: hubItself, name, ttlMinutes: 5, requireApproval: false }),
        ),
      ),
    getToken: async (actor, tokenId) => {
      requireCan(actor, 'token.manage')
      return viewOf(tokenId)
    },
    listTokens: async (actor) => {
      requireCan(actor, 'token.manage')
      return { items: reads.tokens(TOKENS_LISTED).map((row) => tokenView(row, now())) }
    },
    revokeToken: async (actor, tokenId, key) => {
      requireCan(actor, 'token.manage')
      viewOf(tokenId)
      await once(context, { actor, route: `token.revoke ${tokenId}`, key, body: {} }, async (tx) => {
        await tx.revokeToken(tokenId, now())
        await tx.audit(entryOf(actor, 'token.revoke', tokenId), now())
        return {}
      })
      shown.forget(tokenId)
      return viewOf(tokenId)
    },
    challenge: ({ address }, { agentNonce }) => {
      const { hub, challenges } = context
      return {
        hubId: hub.hubId,
        hubPublicKey: hub.publicKey,
        nonce: challenges.give(address),
        hubSignature: signText(hub.privateKey, signedText.hubAuth(hub.hubId, agentNonce)),
      }
    },
    enroll: async (caller, request) => {
      const reply = await enroll(context, caller, request)
      shown.forget(parseToken('rhe', request.token)?.tokenId ?? '')
      return reply
    },
    rotateKey: (caller, request) => rotateKey(context, caller, request),
  }
}

/** For the machine that the hub itself runs on: whoever reads that token has the hub's disk, and waits for nobody. */
const hubItself: Actor = { userId: 'hub', name: 'hub', role: 'owner', agents: null }

async function addToken(
  context: Context,
  tx: WriteTx,
  made: { actor: Actor; name: string | null; ttlMinutes: number; requireApproval: boolean },
): Promise<Omit<EnrollmentTokenMade, 'command'>> {
  const { hub, now } = context
  const { tokenId, secretHash, token } = makeToken('rhe')
  const createdAt = now()
  const expiresAt = createdAt + made.ttlMinutes * 60_000
  const blank = { usedAt: null, usedBy: null, revokedAt: null, wrongAttempts: 0, requireApproval: made.requireApproval }
  await tx.insertToken({
    ...blank,
    tokenId,
    secretHash,
    name: made.name,
    createdBy: made.actor.userId,
    createdAt,
    expiresAt,
  })
  await tx.audit(entryOf(made.actor, 'token.make', tokenId, { minutes: made.ttlMinutes }), createdAt)
  const hubUrl = hub.urls()[0] ?? ''
  const hubKeyFingerprint = fingerprintOf(hub.publicKey)
  return { tokenId, token, expiresAt, hubUrl, hubKeyFingerprint }
}

/** The token goes through standard input: it stands in no process list. */
function withCommand(made: Omit<EnrollmentTokenMade, 'command'>): EnrollmentTokenMade {
  const { token, hubUrl, hubKeyFingerprint } = made
  return { ...made, command: `echo ${token} | roundhouse-agent join ${hubUrl} --fingerprint ${hubKeyFingerprint}` }
}

function tokenView(row: TokenRow, now: number): EnrollmentTokenView {
  const { tokenId, createdAt, expiresAt, usedBy } = row
  return { tokenId, state: tokenState(row, now), createdAt, expiresAt, usedBy }
}

function tokenState(row: TokenRow, now: number): EnrollmentTokenView['state'] {
  if (row.usedAt !== null) return 'used'
  if (row.revokedAt !== null) return 'revoked'
  if (row.wrongAttempts >= TOKEN_ATTEMPTS) return 'burnt'
  return row.expiresAt <= now ? 'expired' : 'open'
}

async function enroll(context: Context, caller: Caller, request: EnrollRequest): Promise<EnrollReply> {
  const { hub, challenges, transactions, changes, now } = context
  const { nonce, publicKey, signature } = request
  const fresh = challenges.take(nonce)
  if (!fresh || !isSignedBy(publicKey, signedText.enroll(hub.hubId, nonce, publicKey), signature)) {
    throw new CodedError('AUTH_FAILED')
  }
  const parsed = parseToken('rhe', request.token)
  // A refusal is a value here: the count of wrong attempts and the audit entry must outlive it.
  const outcome = await transactions.write(async (tx): Promise<AgentRow | string> => {
    const token = parsed ? await tx.findToken(parsed.tokenId) : null
    const right = sameDigest(token?.secretHash ?? noHash, parsed?.secretHash ?? '')
    const refusal = await refuse(tx, token, right, now())
    const object = parsed?.tokenId ?? 'none'
    if (refusal !== null || !token) {
      const why = refusal ?? 'unknown'
      await tx.audit(refusalOf(stranger(caller.address), 'agent.enroll', object, { why }), now())
      return why
    }
    if (await tx.isKeyKnown(publicKey)) {
      await tx.audit(refusalOf(stranger(caller.address), 'agent.enroll', object, { why: 'known key' }), now())
      return 'known key'
    }
    const waits = token.requireApproval || (token.createdBy !== hubItself.userId && (await tx.requiresApproval()))
    const agent = newAgent(request, token, waits ? 'pending' : 'active', now())
    if (!(await tx.spendToken(token.tokenId, agent.agentId, now()))) return 'used'
    await tx.insertAgent(agent)
    const who = { userId: `agent:${agent.agentId}`, name: agent.name, address: caller.address }
    await tx.audit(entryOf(who, 'agent.enroll', object, { keyFingerprint: agent.keyFingerprint, waits }), now())
    return agent
  })
  if (typeof outcome === 'string') throw new CodedError('ENROLLMENT_INVALID')
  changes.agent(outcome.agentId)
  const { agentId, state, name } = outcome
  return { agentId, hubId: hub.hubId, hubPublicKey: hub.publicKey, state, name }
}

/** Why not, for the audit log alone. A burnt token refuses the right secret too. */
async function refuse(tx: WriteTx, token: TokenRow | null, right: boolean, now: number): Promise<string | null> {
  if (!token) return 'unknown'
  const state = tokenState(token, now)
  if (state !== 'open') return state
  if (right) return null
  await tx.countWrongAttempt(token.tokenId)
  return 'wrong secret'
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
    chains: JSON.stringify(newChain.chains),
    chainEpoch: newChain.chainEpoch,
    clonedAt: null,
    software: null,
    platform: request.platform,
    manifest: null,
    roots: '[]',
    maxSandbox: null,
    policyDigest: null,
    policySummary: null,
    pausedAt: null,
    clockOffsetMs: 0,
  }
}

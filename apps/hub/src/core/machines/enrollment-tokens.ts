/** JOIN-1: the one-use tokens with which machines join. People create, list and revoke them. Hashed at rest, shown once. */

import {
  CodedError,
  type EnrollmentTokenMade,
  type EnrollmentTokenRequest,
  type EnrollmentTokenView,
} from '@roundhouse/backend-types'
import { fingerprintOf } from '@roundhouse/keys'
import { type Actor, requireCan } from '../access/access'
import { type Doer, entryOf, hubItself } from '../audit/audit'
import type { OwnHub } from '../common/hub-identity'
import { oneUseState } from '../common/one-use'
import { makeToken } from '../common/secret-token'
import type { ShownOnce } from '../common/shown-once'
import type { TokenRow } from '../ports/enrollment-token-store'
import type { Reads, Transactions, WriteTx } from '../ports/stores'
import { once } from '../writes/once'
import type { WriteAs } from '../writes/write-as'

export interface EnrollmentTokensDeps {
  hub: OwnHub
  now: () => number
  reads: Pick<Reads, 'enrollmentTokens'>
  transactions: Transactions
  writeAs: WriteAs
}

export interface EnrollmentTokensApi {
  makeToken(actor: Actor, request: EnrollmentTokenRequest, idempotencyKey: string): Promise<EnrollmentTokenMade>
  getToken(actor: Actor, tokenId: string): Promise<EnrollmentTokenView>
  listTokens(actor: Actor): Promise<{ items: EnrollmentTokenView[] }>
  revokeToken(actor: Actor, tokenId: string, idempotencyKey: string): Promise<EnrollmentTokenView>
  /** For the agent on the hub's own machine: no person is involved, and the caller gives the name. */
  makeLocalToken(name: string): Promise<EnrollmentTokenMade>
}

const LIFE_MINUTES = 15
const LOCAL_LIFE_MINUTES = 5
const LISTED = 100

export function createEnrollmentTokens(deps: EnrollmentTokensDeps, shown: ShownOnce): EnrollmentTokensApi {
  const { reads, now } = deps
  const viewOf = async (tokenId: string) => {
    const row = await reads.enrollmentTokens.find(tokenId)
    if (!row) throw new CodedError('NOT_FOUND', 'Token not found.')
    return tokenView(row, now())
  }
  return {
    makeToken: async (actor, request, key) => {
      requireCan(actor, 'token.manage')
      const { name = null, ttlMinutes = LIFE_MINUTES, requireApproval = false } = request
      const kept = await once(deps, { actor, route: 'token.make', key, body: request }, async (tx) => {
        const { token, ...made } = await addToken(deps, tx, { actor, name, ttlMinutes, requireApproval })
        shown.keep(made.tokenId, token, made.expiresAt)
        return made
      })
      return withCommand({ ...kept, token: shown.require(kept.tokenId, { tokenId: kept.tokenId }) })
    },
    makeLocalToken: async (name) => {
      const wanted = { actor: hubItself, name, ttlMinutes: LOCAL_LIFE_MINUTES, requireApproval: false }
      return withCommand(await deps.transactions.write((tx) => addToken(deps, tx, wanted)))
    },
    getToken: async (actor, tokenId) => {
      requireCan(actor, 'token.manage')
      return viewOf(tokenId)
    },
    listTokens: async (actor) => {
      requireCan(actor, 'token.manage')
      return { items: (await reads.enrollmentTokens.newest(LISTED)).map((row) => tokenView(row, now())) }
    },
    revokeToken: async (actor, tokenId, key) => {
      requireCan(actor, 'token.manage')
      await viewOf(tokenId)
      await once(deps, { actor, route: `token.revoke ${tokenId}`, key, body: {} }, async (tx) => {
        await tx.enrollmentTokens.revoke(tokenId, now())
        await tx.audit.append(entryOf(actor, 'token.revoke', tokenId), now())
        return {}
      })
      shown.forget(tokenId)
      return viewOf(tokenId)
    },
  }
}

async function addToken(
  deps: EnrollmentTokensDeps,
  tx: WriteTx,
  wanted: { actor: Doer; name: string | null; ttlMinutes: number; requireApproval: boolean },
): Promise<Omit<EnrollmentTokenMade, 'command'>> {
  const { hub, now } = deps
  const { actor, name, ttlMinutes, requireApproval } = wanted
  const { tokenId, secretHash, token } = makeToken('rhe')
  const createdAt = now()
  const expiresAt = createdAt + ttlMinutes * 60_000
  const blank = { usedAt: null, usedBy: null, revokedAt: null, wrongAttempts: 0 }
  const row = { ...blank, tokenId, secretHash, name, requireApproval, createdBy: actor.userId, createdAt, expiresAt }
  await tx.enrollmentTokens.insert(row)
  await tx.audit.append(entryOf(actor, 'token.make', tokenId, { minutes: ttlMinutes }), createdAt)
  return { tokenId, token, expiresAt, hubUrl: hub.urls()[0] ?? '', hubKeyFingerprint: fingerprintOf(hub.publicKey) }
}

/** The token is passed through standard input, so no process list shows it. */
function withCommand(made: Omit<EnrollmentTokenMade, 'command'>): EnrollmentTokenMade {
  const { token, hubUrl, hubKeyFingerprint } = made
  return { ...made, command: `echo ${token} | roundhouse-agent join ${hubUrl} --fingerprint ${hubKeyFingerprint}` }
}

function tokenView(row: TokenRow, now: number): EnrollmentTokenView {
  const { tokenId, createdAt, expiresAt, usedBy } = row
  return { tokenId, state: oneUseState(row, now), createdAt, expiresAt, usedBy }
}

/** What people manage for themselves: the browsers in which they are signed in, and the tokens of their programs. */

import {
  type ApiTokenMade,
  type ApiTokenRequest,
  type ApiTokenView,
  CodedError,
  type LoginView,
  type OwnProof,
} from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import type { ProgramLogin, Signed } from '../access/signed'
import { entryOf } from '../audit/audit'
import { sameDigest, sha256 } from '../common/digests'
import type { Log } from '../common/log'
import { makeToken, parseToken } from '../common/secret-token'
import { ShownOnce } from '../common/shown-once'
import type { Doorbells } from '../doorbells/doorbells'
import { requireTokenName } from '../names/display-names'
import type { ApiTokenRow } from '../ports/api-token-store'
import { isTold } from '../ports/storage-port'
import type { Reads, Transactions } from '../ports/stores'
import { type OnceDeps, once } from '../writes/once'
import { type OwnProofDeps, prove, told } from './own-proof'
import { scopesOf, tokenActor } from './token-actor'

interface OwnAccountDeps extends OnceDeps, OwnProofDeps {
  doorbells: Doorbells
  log: Log
  reads: Pick<Reads, 'apiTokens' | 'factors' | 'logins' | 'people'>
  transactions: Transactions
}

/** Methods that take a proof throw `AUTH_FAILED` for a wrong password or code. */
export interface AccountApi {
  /** `current`: the login that asks. */
  logins(actor: Actor, current: string): Promise<{ items: LoginView[] }>
  endLogin(actor: Actor, loginId: string, idempotencyKey: string): Promise<{ ok: true }>
  tokens(actor: Actor): Promise<{ items: ApiTokenView[] }>
  makeToken(signed: Signed, request: ApiTokenRequest, idempotencyKey: string): Promise<ApiTokenMade>
  removeToken(actor: Actor, tokenId: string, idempotencyKey: string): Promise<{ ok: true }>
  /** Null if the person has linked no identity provider. */
  linkedAt(actor: Actor): Promise<number | null>
  /** Throws `NOT_FOUND` if nothing is linked. */
  unlinkIdentity(signed: Signed, proof: OwnProof, idempotencyKey: string): Promise<{ ok: true }>
  /** Null for an invalid or expired token, or if its person may not sign in. */
  byToken(token: string): Promise<ProgramLogin | null>
}

const DAY_MS = 24 * 3_600_000
/** The last use of a token is stored at most this often. */
const TOUCH_MS = 60_000
const noHash = sha256('no token')

export function createOwnAccount(deps: OwnAccountDeps): AccountApi {
  const { reads, now, doorbells } = deps
  const shown = new ShownOnce(now)
  return {
    logins: async (actor, current) => ({
      items: (await reads.logins.ofPerson(actor.userId, now())).map(({ userAgent, address, ...login }) => ({
        ...login,
        address: address ?? '',
        device: userAgent ?? '',
        current: login.loginId === current,
      })),
    }),
    endLogin: async (actor, loginId, key) => {
      const call = { actor, route: `login.end ${loginId}`, key, body: {} }
      await once(deps, call, async (tx) => {
        if (!(await tx.logins.end(actor.userId, loginId))) throw new CodedError('NOT_FOUND', 'Login not found.')
        await tx.audit.append(entryOf(actor, 'login.end', loginId), now())
        return {}
      })
      doorbells.ring('loginEnded', { loginId })
      return { ok: true }
    },
    tokens: async (actor) => ({ items: (await reads.apiTokens.ofPerson(actor.userId)).map(tokenView) }),
    makeToken: async (signed, { password, code, ...wanted }, key) => {
      const { actor } = signed
      const name = requireTokenName(wanted.name)
      const { spend } = await prove(deps, signed, { password, code }, 'api_token.make')
      // The proof is not stored, not even hashed.
      const call = { actor, route: 'api_token.make', key, body: wanted }
      const kept = await once(deps, call, async (tx) => {
        await spend(tx)
        const { tokenId, secretHash, token } = makeToken('rht')
        const createdAt = now()
        const expiresAt = createdAt + wanted.ttlDays * DAY_MS
        const { scopes } = wanted
        const row = { tokenId, secretHash, userId: actor.userId, name, createdAt, expiresAt, lastUsedAt: null }
        await tx.apiTokens.insert({ ...row, scopes })
        await tx.audit.append(entryOf(actor, 'api_token.make', tokenId, { scopes: scopes.join(' ') }), createdAt)
        shown.keep(tokenId, token, expiresAt)
        return { tokenId, expiresAt }
      }).catch(told(deps, actor, 'api_token.make'))
      return { ...kept, token: shown.require(kept.tokenId, { tokenId: kept.tokenId }) }
    },
    removeToken: async (actor, tokenId, key) => {
      await once(deps, { actor, route: `api_token.remove ${tokenId}`, key, body: {} }, async (tx) => {
        if (!(await tx.apiTokens.delete(actor.userId, tokenId))) throw new CodedError('NOT_FOUND')
        await tx.audit.append(entryOf(actor, 'api_token.remove', tokenId), now())
        return {}
      })
      shown.forget(tokenId)
      doorbells.ring('loginEnded', { loginId: tokenLogin(tokenId) })
      return { ok: true }
    },
    linkedAt: (actor) => reads.people.linkedAt(actor.userId),
    unlinkIdentity: async (signed, proof, key) => {
      const { actor } = signed
      const { spend } = await prove(deps, signed, proof, 'identity.unlink')
      await once(deps, { actor, route: 'identity.unlink', key, body: {} }, async (tx) => {
        await spend(tx)
        if (!(await tx.people.unlinkIdentity(actor.userId))) throw new CodedError('NOT_FOUND', 'Nothing is linked.')
        await tx.audit.append(entryOf(actor, 'identity.unlink', actor.userId), now())
        return {}
      }).catch(told(deps, actor, 'identity.unlink'))
      return { ok: true }
    },
    byToken: async (text) => {
      const parsed = parseToken('rht', text)
      const row = parsed ? await reads.apiTokens.find(parsed.tokenId) : undefined
      const right = sameDigest(row?.secretHash ?? noHash, parsed?.secretHash ?? '')
      if (!row || !right || row.expiresAt <= now() || row.banned) return null
      touch(deps, row)
      return { actor: tokenActor(row), loginId: tokenLogin(row.tokenId), email: row.email, program: true }
    },
  }
}

/** Takes the place of a login id for a token. */
const tokenLogin = (tokenId: string) => `token_${tokenId}`

function touch({ transactions, now, log }: OwnAccountDeps, { tokenId, lastUsedAt }: ApiTokenRow): void {
  if (lastUsedAt !== null && Math.abs(now() - lastUsedAt) < TOUCH_MS) return
  const failed = (error: unknown) => {
    if (!isTold(error)) log.warn({ error: String(error) }, 'could not store the last use of a token')
  }
  transactions.write((tx) => tx.apiTokens.touch(tokenId, now())).catch(failed)
}

function tokenView(row: ApiTokenRow) {
  const { tokenId, name, createdAt, expiresAt, lastUsedAt } = row
  return { tokenId, name, scopes: scopesOf(row), createdAt, expiresAt, lastUsedAt }
}

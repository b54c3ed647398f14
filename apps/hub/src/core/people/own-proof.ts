/**
 * Proves that the request comes from the person: by the password, or by a recent login if there is none, and by a code
 * if codes are on. Slow checks run before the transaction (STORE-1). Inside it, the password must still be the checked
 * one, and a conditional update spends the code.
 */

import { CodedError, type OwnProof } from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import type { Signed } from '../access/signed'
import { requireStill } from '../access/standing'
import { entryOf, refusalOf } from '../audit/audit'
import { sha256 } from '../common/digests'
import type { AuditEntry } from '../ports/audit-store'
import type { FactorKeeper } from '../ports/factor-keeper'
import type { Reads, WriteTx } from '../ports/stores'

export interface OwnProofDeps {
  audit: (entry: AuditEntry) => Promise<void>
  keeper: FactorKeeper
  now: () => number
  reads: Pick<Reads, 'factors' | 'logins' | 'people'>
}

type CodeDeps = Pick<OwnProofDeps, 'keeper' | 'now' | 'reads'>

/** For a person without a password, a login this recent is proof enough. */
const FRESH_MS = 15 * 60_000

/** Runs inside the transaction that needed the proof. Throws `AUTH_FAILED`. */
export type Spend = (tx: WriteTx) => Promise<void>

const wrongCode = () => new CodedError('AUTH_FAILED', 'That code is wrong or was already used.')

/** The password that was shown, for work that is finished later (`LoginStep`). */
export interface Proven {
  basis: string
  spend: Spend
}

/** Checks the password, and a code if codes are on. Throws `AUTH_FAILED`. */
export async function prove(deps: OwnProofDeps, signed: Signed, proof: OwnProof, action: string): Promise<Proven> {
  const hasCodes = (await deps.reads.factors.totp(signed.actor.userId))?.verified === true
  return hasCodes ? proveBoth(deps, signed, proof, action) : provePassword(deps, signed, proof, action)
}

/** Checks the password and a code. Throws `AUTH_FAILED`. */
export async function proveBoth(deps: OwnProofDeps, signed: Signed, proof: OwnProof, action: string): Promise<Proven> {
  const { basis, spend } = await provePassword(deps, signed, proof, action)
  const spendCode = await judgeCode(deps, signed.actor, proof)
  return {
    basis,
    spend: async (tx) => {
      await spend(tx)
      await spendCode(tx)
    },
  }
}

export async function provePassword(
  deps: OwnProofDeps,
  signed: Signed,
  { password }: OwnProof,
  action: string,
): Promise<Proven> {
  const { actor, loginId } = signed
  const { verdict, hash } = await deps.keeper.judgePassword(actor.userId, password)
  if (verdict === 'right' || (verdict === 'none' && (await isFresh(deps, actor, loginId)))) {
    return { basis: basisOf(hash), spend: (tx) => requireSame(tx, actor, hash) }
  }
  requireStill(actor, await deps.reads.people.standing(actor.credential), deps.now()) // a person who is gone has no password either
  await deps.audit(refusalOf(actor, action, actor.userId, { why: 'wrong password' }))
  const words = verdict === 'none' ? 'Sign in again, then do this within 15 minutes.' : 'The password is wrong.'
  throw new CodedError('AUTH_FAILED', words)
}

/** Identifies a password without revealing it. */
export const basisOf = (hash: string | null): string => sha256(hash ?? '')

async function requireSame(tx: WriteTx, { userId }: Actor, hash: string | null): Promise<void> {
  const found = await tx.logins.basis(userId)
  if ((found?.passwordHash ?? null) !== hash) throw new CodedError('AUTH_FAILED', 'That password was changed just now.')
}

async function isFresh({ reads, now }: OwnProofDeps, { userId }: Actor, loginId: string): Promise<boolean> {
  const login = (await reads.logins.ofPerson(userId, now())).find((own) => own.loginId === loginId)
  return login !== undefined && login.createdAt > now() - FRESH_MS
}

/** Six digits come from the authenticator; anything else is a backup code. */
export function judgeCode(deps: CodeDeps, actor: Actor, { code }: Pick<OwnProof, 'code'>): Promise<Spend> {
  if (code === undefined) {
    return Promise.resolve(() => Promise.reject(new CodedError('AUTH_FAILED', 'A code is needed as well.')))
  }
  return /^\d{6}$/.test(code) ? judgeTotp(deps, actor, code) : judgeBackupCode(deps, actor, code)
}

async function judgeTotp({ keeper, reads, now }: CodeDeps, { userId }: Actor, code: string): Promise<Spend> {
  const row = await reads.factors.totp(userId)
  const step = row ? await keeper.stepOf(row.secret, code, now()) : null
  return async (tx) => {
    if (!row || step === null || !(await tx.factors.spendStep(userId, row.secret, step))) throw wrongCode()
  }
}

async function judgeBackupCode({ keeper, reads, now }: CodeDeps, actor: Actor, code: string): Promise<Spend> {
  const row = await reads.factors.totp(actor.userId)
  const left = row ? await keeper.withoutBackupCode(row.backupCodes, code) : null
  return async (tx) => {
    const isSpent = row && left !== null && (await tx.factors.replaceBackupCodes(actor.userId, row.backupCodes, left))
    if (!isSpent) throw wrongCode()
    await tx.audit.append(entryOf(actor, 'backup_code.use', actor.userId), now())
  }
}

/** A refused code is recorded. The row must survive the transaction that it ended. */
export function told(deps: Pick<OwnProofDeps, 'audit'>, actor: Actor, action: string) {
  return async (refusal: unknown): Promise<never> => {
    const isCode = refusal instanceof CodedError && refusal.code === 'AUTH_FAILED'
    if (isCode) await deps.audit(refusalOf(actor, action, actor.userId, { why: 'wrong code' }))
    throw refusal
  }
}
